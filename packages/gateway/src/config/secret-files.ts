import { InitialisationError } from '../errors.ts'
import type {
  GatewaySection,
  IssuerOptions,
  McpSection,
  PluginsConfig,
  WebhookOptions,
} from './config-schema.ts'
import { readNamedFile } from './read-files.ts'
import { checkRedisUrl } from './schema/address-checks.ts'
import { HEADER_VALUE, SHORTEST_SECRET } from './schema/formats.ts'

/** Reads the secrets that plugin sections name by file. Throws an `InitialisationError` that names the key, never the content. */
export function withSecrets(sections: PluginsConfig): PluginsConfig {
  const { 'token-validator': validator, 'tenant-injector': injector, 'license-check': licenses } = sections
  const issuers = validator.issuers.map((issuer, index) =>
    withSharedSecret(issuer, `plugins.token-validator.issuers[${index}].hs256_secret_file`),
  )
  return {
    ...sections,
    'token-validator': { ...validator, issuers },
    'tenant-injector': withWebhook(injector, 'plugins.tenant-injector.webhook'),
    'license-check': withWebhook(licenses, 'plugins.license-check.webhook'),
  }
}

/** The address of the shared Redis, from the file or from the configuration. */
export function redisUrlOf({ redis_url, redis_url_file }: NonNullable<GatewaySection['shared']>): string {
  if (redis_url_file === undefined) return redis_url ?? ''
  const key = 'gateway.shared.redis_url_file'
  return readSecret(redis_url_file, key, checkRedisUrl)
}

/** The secrets of the approval page, the newest first. Without files it is `random`. */
export function pageSecretsOf(
  { key_files: [newest, ...older] = [] }: NonNullable<GatewaySection['approvals_page']>,
  random: string,
): readonly [string, ...string[]] {
  if (newest === undefined) return [random]
  const read = (file: string, index: number) =>
    readSecret(file, `gateway.approvals_page.key_files[${index}]`, checkLength)
  return [read(newest, 0), ...older.map((file, index) => read(file, index + 1))]
}

/** The secrets that seal the state of MCP clients, the one that seals first. Without configured ones it is `random`. */
export function mcpSecretsOf(
  { state_secrets = [], state_secrets_files: files = [] }: McpSection,
  random: string,
): readonly string[] {
  const read = files.map((file, index) => readSecret(file, `mcp.state_secrets_files[${index}]`, checkLength))
  const all = [...state_secrets, ...read]
  return all.length === 0 ? [random] : all
}

function checkLength(secret: string): string | undefined {
  return secret.length < SHORTEST_SECRET ? `must have at least ${SHORTEST_SECRET} characters` : undefined
}

/** Reads the shared secret of an issuer. `key` names its file in messages. */
export function withSharedSecret(issuer: IssuerOptions, key: string): IssuerOptions {
  const { hs256_secret_file: file } = issuer
  if (file === undefined) return issuer
  return { ...issuer, hs256_secret: readSecret(file, key, checkLength) }
}

/** Reads the secret headers of a webhook. `key` names the webhook in messages. */
export function withWebhook<Section extends { readonly webhook?: WebhookOptions | undefined }>(
  section: Section,
  key: string,
): Section {
  const { webhook } = section
  if (webhook === undefined || Object.keys(webhook.headers_files).length === 0) return section
  const headers: Record<string, string> = Object.assign(Object.create(null), webhook.headers)
  for (const [name, file] of Object.entries(webhook.headers_files))
    headers[name] = readSecret(file, `${key}.headers_files.${name}`, (value) =>
      HEADER_VALUE.test(value) ? undefined : 'must be one line without control characters',
    )
  return { ...section, webhook: { ...webhook, headers } }
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
