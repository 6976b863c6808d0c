import { resolve } from 'node:path'
import { type ConfigFault, formatFaults, loadConfig } from '@agentic-rest/gateway'
import { developmentConfig, withConsole } from './development-config.ts'
import { findEntry, gatewayFile, type PartEntry } from './part-entry.ts'
import { createPartEnvironment, type EnvironmentOptions } from './part-environment.ts'
import { type PartRow, parts, portOf, urlOf } from './parts.ts'
import { isListening } from './ports.ts'

/** A part that is going to be started. */
export interface PlannedPart {
  readonly row: PartRow
  readonly entry: PartEntry
  readonly host: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  /** The port of the console, where this part serves it. */
  readonly consolePort?: number | undefined
  /** Whether it answers by now. */
  readonly isReady: () => Promise<boolean>
}

/** What is planned from. */
export interface PlanOptions extends EnvironmentOptions {
  /** Somebody's own gateway, started with the identity provider in place of the stack's other parts. */
  readonly gatewayFile?: string | undefined
}

/** Somebody's own file is not valid. */
export class GatewayFileError extends Error {
  override readonly name = 'GatewayFileError'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(formatFaults(faults))
    this.faults = faults
  }
}

const HOST = '127.0.0.1'
const HEALTH_MS = 2_000

/** Everything that is to be started, with its port and its environment. */
export function planStack(options: PlanOptions): PlannedPart[] {
  const environmentOf = createPartEnvironment(options)
  const rows: readonly PartRow[] = parts
  if (options.gatewayFile === undefined) return rows.flatMap((row) => planPart(row, options, environmentOf))
  const own = planOwnGateway(resolve(options.gatewayFile), options, environmentOf)
  const issuer = rows
    .filter((row) => row.issuesTokens)
    .flatMap((row) => planPart(row, options, environmentOf))
  return [own, ...issuer]
}

type EnvironmentOf = ReturnType<typeof createPartEnvironment>

function planPart(row: PartRow, { portBase }: PlanOptions, environmentOf: EnvironmentOf): PlannedPart[] {
  const entry = findEntry(row)
  if (entry === undefined) return []
  const port = portBase + row.distance
  const env = {
    ...environmentOf(row),
    PORT: String(port),
    GATEWAY_FILE: 'gateway' in row.runs ? gatewayFile(row.runs.gateway) : undefined,
  }
  const consolePort = row.servesConsole === true ? portOf('console', portBase) : undefined
  return [{ row, entry, port, host: HOST, env, consolePort, isReady: () => isHealthy(port) }]
}

/** A gateway that somebody wrote: it listens where its file says, and accepts the tokens of the identity provider too. */
function planOwnGateway(file: string, { portBase }: PlanOptions, environmentOf: EnvironmentOf): PlannedPart {
  const row: PartRow = {
    name: 'gateway',
    distance: 0,
    purpose: 'your gateway',
    runs: { gateway: file },
    servesConsole: true,
  }
  const entry = findEntry(row)
  if (entry === undefined) throw new Error('the gateway of the stack is not installed')
  const development = { issuer: urlOf('identity', portBase), port: portBase }
  const env = {
    ...environmentOf(row),
    PORT: String(portBase),
    GATEWAY_FILE: file,
    DEVELOPMENT_ISSUER: development.issuer,
  }
  const loaded = loadConfig(file, env)
  if (!loaded.ok) throw new GatewayFileError(loaded.faults)
  const config = withConsole(developmentConfig(loaded.config, development), portOf('console', portBase))
  const { host, port, admin } = config.gateway
  // Not its health: it may speak TLS with a certificate that nobody here knows.
  return { row, entry, host, port, env, consolePort: admin?.port, isReady: () => isListening({ host, port }) }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
