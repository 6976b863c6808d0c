import { InitialisationError } from '../errors.ts'
import { configSchema, type GatewaySection, type McpSection } from './config-schema.ts'
import { formatPath, type Path } from './faults.ts'
import { readNamedFile } from './read-files.ts'
import { checkSharedSecret } from './schema/formats.ts'
import { childOf, type Leaf, mapLeaves, namedKeyOf, schemaAt } from './schema/marks.ts'

/**
 * Reads the secrets that a section names by file and puts each where the section has the secret itself: the content of
 * `x_file` becomes `x`, those of `x_files` are added to `x`. Throws an `InitialisationError` that names the key, never the
 * content. `path` is the place of the section in the configuration.
 */
export function withSecrets<Section>(
  section: Section,
  path: Path,
  schema = schemaAt(configSchema, path),
): Section {
  if (schema === undefined || typeof section !== 'object' || section === null) return section
  if (Array.isArray(section))
    return section.map((item, index) =>
      withSecrets(item, [...path, index], childOf(schema, index)),
    ) as Section
  const whole: Record<string, unknown> = Object.create(Object.getPrototypeOf(section))
  for (const [key, value] of Object.entries(section))
    whole[key] = withSecrets(value, [...path, key], childOf(schema, key))
  for (const [key, named] of Object.entries(section)) {
    const name = key.replace(/_files?$/, '')
    // In a map the names are free: a tenant may be called `x_file`.
    if (name === key || namedKeyOf(schema, name) === undefined) continue
    const secrets = mapLeaves(named, { schema: childOf(schema, key), path: [...path, key] }, readLeaf)
    whole[name] = joined(whole[name], secrets)
  }
  return whole as Section
}

function readLeaf({ value, path, mark }: Leaf): unknown {
  const content = mark?.type === 'file' ? mark.content : undefined
  return content === undefined ? value : readSecret(String(value), formatPath(path), content)
}

/** Secrets of the configuration come before those of files; of two headers with one name the file's counts. */
function joined(plain: unknown, secrets: unknown): unknown {
  if (Array.isArray(secrets)) return [...(Array.isArray(plain) ? plain : []), ...secrets]
  return typeof secrets === 'object' ? Object.assign(Object.create(null), plain, secrets) : secrets
}

/** The address of the shared Redis, from the file or from the configuration. */
export function redisUrlOf(shared: NonNullable<GatewaySection['shared']>): string {
  return withSecrets(shared, ['gateway', 'shared']).redis_url ?? ''
}

/** The secrets that seal sessions, the newest first. Without files it is `random`. */
export function sessionSecretsOf(
  { approvals_page, sign_in }: Pick<GatewaySection, 'approvals_page' | 'sign_in'>,
  random: string,
): readonly [string, ...string[]] {
  const section = sign_in === undefined ? 'approvals_page' : 'sign_in'
  const [newest, ...older] = (sign_in ?? approvals_page)?.key_files ?? []
  if (newest === undefined) return [random]
  const read = (file: string, index: number) =>
    readSecret(file, `gateway.${section}.key_files[${index}]`, checkSharedSecret)
  return [read(newest, 0), ...older.map((file, index) => read(file, index + 1))]
}

/** The secrets that seal the state of MCP clients, the one that seals first. Without configured ones it is `random`. */
export function mcpSecretsOf(section: McpSection, random: string): readonly string[] {
  const { state_secrets: all = [] } = withSecrets(section, ['mcp'])
  return all.length === 0 ? [random] : all
}

/** Reads a secret from a file. A text editor ends a file with a newline, which is not part of the secret. */
export function readSecret(
  file: string,
  key: string,
  check: (secret: string) => string | undefined = () => undefined,
): string {
  const secret = readNamedFile(file, key).replace(/\r?\n$/, '')
  const fault = secret === '' ? 'is empty' : check(secret)
  if (fault !== undefined) throw new InitialisationError(`${key}: its content ${fault}`)
  return secret
}
