import { signerOf } from '../audit-log/audit-files.ts'
import type {
  GatewayConfig,
  IssuerOptions,
  OtelAuditOptions,
  PromptSanitizeOptions,
} from '../config/config-schema.ts'
import type { Path } from '../config/faults.ts'
import { formatPath } from '../config/faults.ts'
import type { ConfigResult } from '../config/parse-config.ts'
import { isInputFile } from '../config/schema/mcp-section.ts'
import { sessionSecretsOf, withSecrets } from '../config/secret-files.ts'
import { InitialisationError } from '../errors.ts'
import { loadServerCertificate } from '../listen/key-pair.ts'
import { readSchema } from '../mcp/tool-routes.ts'
import { compileRules } from '../plugins/prompt-sanitize/compile-rules.ts'
import { createViewReader } from '../plugins/prompt-sanitize/readable-view.ts'
import { prepareIssuer, prepareServer } from '../plugins/token-validator/issuers.ts'
import { IdentitySigner } from '../upstream/signed-identity.ts'
import { readTlsFiles } from '../upstream/upstream-pool.ts'

/** A reason why a gateway would not start with a configuration, at the section whose files it is about. */
export interface StartFault {
  readonly path: Path
  readonly message: string
}

/**
 * Reads every file that a start would read and reports all that it would refuse, such as an empty key set. It starts
 * nothing. Of a refused configuration only the valid issuers, records and rules are looked at.
 */
export function startFaults(result: ConfigResult): StartFault[] {
  if (!result.ok) {
    const { issuers = [], audit, sanitize } = result.sound ?? {}
    return faultsOf([...issuers.map(issuerPart), ...ruleParts(sanitize), ...sealPart(audit)])
  }
  const { gateway, plugins, upstreams, routes, mcp } = result.config
  const { mode, issuers } = plugins['token-validator']
  return faultsOf([
    ...gatewayParts(gateway),
    ...(mode === 'on' ? [...issuers.entries()].map(issuerPart) : []),
    ...(['tenant-injector', 'license-check'] as const).map((name): Part => {
      const path = ['plugins', name, 'webhook']
      return { path, read: () => withSecrets(plugins[name].webhook, path) }
    }),
    ...ruleParts(plugins['prompt-sanitize']),
    ...sealPart(plugins['otel-audit']),
    ...Object.entries(upstreams).map(([name, upstream]): Part => {
      return { path: ['upstreams', name], read: (key) => readTlsFiles(upstream, key) }
    }),
    ...(mcp === undefined ? [] : [{ path: ['mcp'], read: () => withSecrets(mcp, ['mcp']) }]),
    ...routes.flatMap(routeParts),
  ])
}

/** A section with the reading of its files, which throws an `InitialisationError`. */
interface Part {
  readonly path: Path
  readonly read: (key: string) => unknown
}

function faultsOf(parts: readonly Part[]): StartFault[] {
  return parts.flatMap(({ path, read }) => {
    const key = formatPath(path)
    try {
      read(key)
      return []
    } catch (error) {
      if (!(error instanceof InitialisationError)) throw error
      return [{ path, message: withoutKey(error.message, key) }]
    }
  })
}

/** The fault names the section itself; its message then starts with the key inside it. */
function withoutKey(message: string, key: string): string {
  return message.startsWith(key) ? message.slice(key.length).replace(/^(?:: |\.)/, '') : message
}

function gatewayParts(gateway: GatewayConfig['gateway']): Part[] {
  const { tls, admin, identity, shared, approvals_page, sign_in } = gateway
  const part = <Section>(
    path: Path,
    section: Section | undefined,
    read: (section: Section, key: string) => unknown,
  ) =>
    section === undefined ? [] : [{ path: ['gateway', ...path], read: (key: string) => read(section, key) }]
  return [
    ...part(['tls'], tls, loadServerCertificate),
    ...part(['admin', 'tls'], admin?.tls, loadServerCertificate),
    ...part(['identity'], identity, (section) => new IdentitySigner(section)),
    ...part(['shared'], shared, (section) => withSecrets(section, ['gateway', 'shared'])),
    ...part(['approvals_page'], approvals_page, () => sessionSecretsOf({ approvals_page }, '')),
    ...part(['sign_in'], sign_in, (section) => {
      withSecrets(section, ['gateway', 'sign_in'])
      sessionSecretsOf(gateway, '')
    }),
  ]
}

function issuerPart([index, issuer]: readonly [index: number, issuer: IssuerOptions]): Part {
  const path = ['plugins', 'token-validator', 'issuers', index]
  return {
    path,
    read() {
      const whole = withSecrets(issuer, path)
      // File names are absolute here.
      prepareIssuer(whole, { baseFolder: '/' })
      prepareServer(whole, index)
    },
  }
}

/** Of a rule only its keywords are not judged by the schema. */
function ruleParts({ rules }: Pick<PromptSanitizeOptions, 'rules'> = { rules: [] }): Part[] {
  return rules.flatMap((rule, index): Part[] => {
    const path = ['plugins', 'prompt-sanitize', 'rules', index]
    return rule.keywords === undefined ? [] : [{ path, read: () => compileRules([rule], createViewReader()) }]
  })
}

function sealPart(audit: OtelAuditOptions | undefined): Part[] {
  if (audit === undefined || !audit.enabled || audit.exporter !== 'file') return []
  return [{ path: ['plugins', 'otel-audit', 'seal'], read: () => signerOf(audit) }]
}

function routeParts(route: GatewayConfig['routes'][number], index: number): Part[] {
  const path = ['routes', index]
  const { mcp } = route
  const input = mcp !== undefined && isInputFile(mcp.input) ? mcp.input : undefined
  return [
    { path, read: (key) => readTlsFiles(route, key) },
    ...(input === undefined
      ? []
      : [{ path: [...path, 'mcp', 'input'], read: (key: string) => readSchema(input, key) }]),
  ]
}
