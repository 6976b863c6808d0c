import type { Path } from './faults.ts'
import { entriesAt, valueAt } from './rules/draft.ts'
import type { Environment } from './source/interpolation.ts'
import { nodeAt, type SourceNode } from './source/source-node.ts'
import type { Unwise } from './warnings.ts'

const SECRET_NAME = /auth|cookie|key|token|secret|password|credential|signature|^(?:code|sig)$/i
const WEBHOOKS: readonly Path[] = [
  ['plugins', 'tenant-injector', 'webhook'],
  ['plugins', 'license-check', 'webhook'],
]

const REDIS_URL: Path = ['gateway', 'shared', 'redis_url']

/** The file as it was read, and what its references were filled in from. */
export interface SecretSource {
  readonly root: SourceNode
  readonly value: unknown
  readonly environment: Environment
}

/** Secrets whose text is in the file. It ends in a repository, a backup or a ticket, where everybody reads it. */
export const plainSecrets = (source: SecretSource): readonly Unwise[] =>
  [
    ...secretPaths(source.value).filter((path) => isPlain(source, path)),
    ...WEBHOOKS.map((path) => [...path, 'url']).filter((path) => hasPlainParameter(source, path)),
    ...[REDIS_URL].filter((path) => hasPlainPassword(source, path)),
  ].map((path) => ({
    id: 'plain-text-secret',
    path,
    message: `${['url', 'redis_url'].includes(String(path.at(-1))) ? 'has' : 'is'} a secret in plain text, take it from the environment: \${NAME:?is needed}`,
  }))

const secretPaths = (value: unknown): Path[] => [
  ...entriesAt(value, ['plugins', 'token-validator', 'issuers']).map((issuer) => [...issuer, 'hs256_secret']),
  ...WEBHOOKS.flatMap((path) =>
    Object.keys(valueAt(value, [...path, 'headers']) ?? {})
      .filter((name) => SECRET_NAME.test(name))
      .map((name) => [...path, 'headers', name]),
  ),
]

/** A default, `${NAME:-text}`, is as plain as the text itself where the variable is not set. */
const isPlain = ({ root, environment }: SecretSource, path: Path): boolean => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || node.value === '') return false
  return node.variables.every((name) => !Object.hasOwn(environment, name) || environment[name] === '')
}

/** An address and the values of the variables that it is made of. */
const addressAt = ({ root, environment }: SecretSource, path: Path) => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !URL.canParse(node.value)) return undefined
  const given = node.variables.map((name) => environment[name] ?? '').filter((text) => text !== '')
  return { address: node.value, given }
}

/** An address may be made of several variables: only one that stands in the parameter itself keeps it out of the file. */
const hasPlainParameter = (source: SecretSource, path: Path): boolean => {
  const { address, given = [] } = addressAt(source, path) ?? {}
  if (address === undefined) return false
  return [...new URL(address).searchParams].some(
    ([name, text]) => SECRET_NAME.test(name) && isWritten(text) && !given.some((part) => text.includes(part)),
  )
}

/** The variable may be a part of the password, the password, or the whole address. */
const hasPlainPassword = (source: SecretSource, path: Path): boolean => {
  const { address = '', given = [] } = addressAt(source, path) ?? {}
  const [, password = ''] = /^[^/]*\/\/[^/]*?:([^/]*)@/.exec(address) ?? []
  return password !== '' && !given.some((part) => password.includes(part) || part.includes(password))
}

/** Whether there is more than a placeholder, which the gateway fills in. */
const isWritten = (text: string): boolean => text.replaceAll(/\{\w+\}/g, '') !== ''
