import { entriesAt, valueAt } from './draft.ts'
import type { Path } from './faults.ts'
import type { Environment } from './source/interpolation.ts'
import { nodeAt, type SourceNode } from './source/source-tree.ts'
import type { Unwise } from './warnings.ts'

const SECRET_NAME = /auth|cookie|key|token|secret|password|credential|signature|^x-api|^(?:code|sig|k)$/i
const WEBHOOKS: readonly Path[] = [
  ['plugins', 'tenant-injector', 'webhook'],
  ['plugins', 'license-check', 'webhook'],
]

const REDIS_URL: Path = ['gateway', 'shared', 'redis_url']

/** The file's tree and values, and the environment of its references. */
export interface SecretSource {
  readonly root: SourceNode
  readonly value: unknown
  readonly environment: Environment
}

/** Finds secrets in plain text: the file may end up in a repository, a backup or a ticket. */
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
  ...entriesAt(value, ['mcp', 'state_secrets']),
  ...WEBHOOKS.flatMap((path) =>
    Object.keys(valueAt(value, [...path, 'headers']) ?? {})
      .filter((name) => SECRET_NAME.test(name))
      .map((name) => [...path, 'headers', name]),
  ),
]

/** The default in `${NAME:-text}` counts as plain text while the variable is not set. */
const isPlain = ({ root, environment }: SecretSource, path: Path): boolean => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || node.value === '') return false
  return node.variables.every((name) => !Object.hasOwn(environment, name) || environment[name] === '')
}

/** The address at a path and the values of its variables. */
const addressAt = ({ root, environment }: SecretSource, path: Path) => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !URL.canParse(node.value)) return undefined
  const given = node.variables.map((name) => environment[name] ?? '').filter((text) => text !== '')
  return { address: node.value, given }
}

/** An address may have several variables: only a variable in the parameter itself keeps the secret out of the file. */
const hasPlainParameter = (source: SecretSource, path: Path): boolean => {
  const { address, given = [] } = addressAt(source, path) ?? {}
  if (address === undefined) return false
  return [...new URL(address).searchParams].some(
    ([name, text]) => SECRET_NAME.test(name) && isWritten(text) && !given.some((part) => text.includes(part)),
  )
}

/** A variable may hold a part of the password, the password or the whole address. */
const hasPlainPassword = (source: SecretSource, path: Path): boolean => {
  const { address = '', given = [] } = addressAt(source, path) ?? {}
  const [, password = ''] = /^[^/]*\/\/[^/]*?:([^/]*)@/.exec(address) ?? []
  return password !== '' && !given.some((part) => password.includes(part) || part.includes(password))
}

/** Whether a text has more than placeholders, which the gateway fills in. */
const isWritten = (text: string): boolean => text.replaceAll(/\{\w+\}/g, '') !== ''
