import { configSchema } from './config-schema.ts'
import type { Path } from './faults.ts'
import { type KeySchema, leavesOf, type Mark, type SecretPart } from './schema/marks.ts'
import type { Environment } from './source/interpolation.ts'
import { nodeAt, type SourceNode } from './source/source-tree.ts'
import type { Unwise } from './warnings.ts'

const SECRET_NAME = /auth|cookie|key|token|secret|password|credential|signature|^x-api|^(?:code|sig|k)$/i

/** The file's tree and values, and the environment of its references. */
export interface SecretSource {
  readonly root: SourceNode
  readonly value: unknown
  readonly environment: Environment
}

/** Finds secrets in plain text: the file may end up in a repository, a backup or a ticket. */
export const plainSecrets = (source: SecretSource, schema: KeySchema = configSchema): readonly Unwise[] =>
  leavesOf(source.value, { schema, path: [] }).flatMap(({ path, mark }) => {
    const part = secretPartOf(mark)
    if (part === undefined || !isPlain[part](source, path)) return []
    const verb = part === 'all' || part === 'named' ? 'is' : 'has'
    const message = `${verb} a secret in plain text, take it from the environment: \${NAME:?is needed}`
    return [{ id: 'plain-text-secret', path, message }]
  })

/** A text without a mark may be an address, whatever its key is called. */
const secretPartOf = (mark: Mark | undefined): SecretPart | undefined => {
  if (mark === undefined) return 'parameters'
  return mark.type === 'secret' ? mark.part : undefined
}

/** The default in `${NAME:-text}` counts as plain text while the variable is not set. */
const isWrittenOut = ({ root, environment }: SecretSource, path: Path): boolean => {
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

const isPlain = {
  all: isWrittenOut,
  named: (source, path) => SECRET_NAME.test(String(path.at(-1))) && isWrittenOut(source, path),
  password: hasPlainPassword,
  parameters: hasPlainParameter,
  unknown: hasPlainParameter,
} satisfies Record<SecretPart, (source: SecretSource, path: Path) => boolean>
