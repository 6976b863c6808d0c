import { PROFILE_VERSION } from '@agentic-rest/profile'
import type { GatewayConfig } from '../config/config-schema.ts'
import type { ToldWarning } from '../config/warnings.ts'
import type { ReloadResult } from '../lifetime/reload.ts'
import type { DevelopmentAccess } from './development-access.ts'

/** What is told about a gateway. */
export interface DescribedGateway {
  readonly config: GatewayConfig
  readonly warnings: readonly ToldWarning[]
  readonly version: string
  readonly file?: string | undefined
  readonly startedAt: Date
  readonly loadedAt: Date
  readonly lastReload: ReloadResult | undefined
  readonly gatewayUrl: string
  readonly development?: DevelopmentAccess | undefined
}

/** What runs, since when, from which configuration, and who can be tried as. */
export async function describeGateway(described: DescribedGateway) {
  const { config, warnings, version, file, startedAt, loadedAt, lastReload, gatewayUrl, development } =
    described
  return {
    version,
    profile: PROFILE_VERSION,
    startedAt: startedAt.toISOString(),
    gatewayUrl,
    development: development !== undefined,
    people: await peopleOf(development),
    streamLimit: config.gateway.llm.max_sse_connections_per_tenant,
    configuration: {
      file: file ?? null,
      loadedAt: loadedAt.toISOString(),
      warnings: warnings.map(({ text }) => text),
      lastReload: lastReload ?? null,
    },
  }
}

/** The identity provider may be down; the console is not to go with it. */
async function peopleOf(development: DevelopmentAccess | undefined) {
  if (development === undefined) return []
  return await development.people().catch(() => [])
}
