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
  ].map((path) => ({
    id: 'plain-text-secret',
    path,
    message: `${path.at(-1) === 'url' ? 'has' : 'is'} a secret in plain text, take it from the environment: \${NAME:?is needed}`,
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

/** An address may be made of several variables: only one that stands in the parameter itself keeps it out of the file. */
const hasPlainParameter = ({ root, environment }: SecretSource, path: Path): boolean => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !URL.canParse(node.value)) return false
  const given = node.variables.map((name) => environment[name] ?? '').filter((text) => text !== '')
  return [...new URL(node.value).searchParams].some(
    ([name, text]) => SECRET_NAME.test(name) && isWritten(text) && !given.some((part) => text.includes(part)),
  )
}

/** Whether there is more than a placeholder, which the gateway fills in. */
const isWritten = (text: string): boolean => text.replaceAll(/\{\w+\}/g, '') !== ''
