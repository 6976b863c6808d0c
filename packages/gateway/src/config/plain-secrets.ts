import type { Path } from './faults.ts'
import { entriesAt, valueAt } from './rules/draft.ts'
import type { Environment } from './source/interpolation.ts'
import { nodeAt, type SourceNode } from './source/source-node.ts'
import type { Unwise } from './warnings.ts'

const SECRET_HEADER = /auth|cookie|key|token|secret|password|credential/i
const WEBHOOKS: readonly Path[] = [
  ['plugins', 'tenant-injector', 'webhook', 'headers'],
  ['plugins', 'license-check', 'webhook', 'headers'],
]

/** The file as it was read, and what its references were filled in from. */
export interface SecretSource {
  readonly root: SourceNode
  readonly value: unknown
  readonly environment: Environment
}

/** Secrets whose text is in the file. It ends in a repository, a backup or a ticket, where everybody reads it. */
export const plainSecrets = (source: SecretSource): readonly Unwise[] =>
  secretPaths(source.value)
    .filter((path) => isPlain(source, path))
    .map((path) => ({
      id: 'plain-text-secret',
      path,
      message: 'is a secret in plain text, take it from the environment: ${NAME:?is needed}',
    }))

const secretPaths = (value: unknown): Path[] => [
  ...entriesAt(value, ['plugins', 'token-validator', 'issuers']).map((issuer) => [...issuer, 'hs256_secret']),
  ...WEBHOOKS.flatMap((path) =>
    Object.keys(valueAt(value, path) ?? {})
      .filter((name) => SECRET_HEADER.test(name))
      .map((name) => [...path, name]),
  ),
]

/** A default, `${NAME:-text}`, is as plain as the text itself where the variable is not set. */
const isPlain = ({ root, environment }: SecretSource, path: Path): boolean => {
  const node = nodeAt(root, path)
  if (node?.kind !== 'scalar' || node.value === '') return false
  return node.variables.every((name) => !Object.hasOwn(environment, name) || environment[name] === '')
}
