import { resolve } from 'node:path'
import { type ConfigFault, formatFaults, type GatewayConfig, loadConfig } from '@agentic-rest/gateway'
import { developmentConfig, mcpResource, withConsole } from './development-config.ts'
import { findEntry, gatewayFile, type PartEntry } from './part-entry.ts'
import { createPartEnvironment, type EnvironmentOptions } from './part-environment.ts'
import { type PartRow, parts, portOf, urlOf } from './parts.ts'
import { peopleBeside, peopleOf } from './people.ts'
import { isListening } from './ports.ts'

/** A part to start. */
export interface PlannedPart {
  readonly row: PartRow
  readonly entry: PartEntry
  readonly host: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  /** The port of the console, if this part serves it. */
  readonly consolePort?: number | undefined
  /** The address of the MCP endpoint of the user's gateway. */
  readonly mcpResource?: string | undefined
  /** Whether the part answers. */
  readonly isReady: () => Promise<boolean>
}

/** The options of a plan. */
export interface PlanOptions extends EnvironmentOptions {
  /** The user's own gateway, started with the identity provider in place of the stack's other parts. */
  readonly gatewayFile?: string | undefined
  /** The program of the user's own service, started beside that gateway. */
  readonly serviceFile?: string | undefined
}

/** A file of the user is not valid: the configuration, or the people beside it. */
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

/** Plans all parts to start, with ports and environment. */
export function planStack(options: PlanOptions): PlannedPart[] {
  const rows: readonly PartRow[] = parts
  const { gatewayFile } = options
  if (gatewayFile === undefined) {
    const environmentOf = createPartEnvironment(options)
    return rows.flatMap((row) => planPart(row, options, environmentOf))
  }
  const environmentOf = createPartEnvironment(options)
  const { own, config } = planOwnGateway(resolve(gatewayFile), options, environmentOf)
  const people = peopleBeside(resolve(gatewayFile)) ?? { ok: true, people: peopleOf(config) }
  if (!people.ok) throw new GatewayFileError(people.faults)
  const PEOPLE = JSON.stringify(people.people.map(({ sub, ...person }) => [sub, person]))
  const issuer = rows
    .filter((row) => row.issuesTokens)
    .flatMap((row) => planPart(row, options, environmentOf))
    .map((part) => ({ ...part, env: { ...part.env, MCP_RESOURCE: own.mcpResource, PEOPLE } }))
  return [own, ...planOwnService(options, environmentOf), ...issuer]
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

/** The user's gateway. It listens as in its file, and also accepts the tokens of the identity provider. */
function planOwnGateway(
  file: string,
  { portBase }: PlanOptions,
  environmentOf: EnvironmentOf,
): { readonly own: PlannedPart; readonly config: GatewayConfig } {
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
    SERVICE_PORT: String(portBase + SERVICE_DISTANCE),
    GATEWAY_FILE: file,
    DEVELOPMENT_ISSUER: development.issuer,
  }
  const loaded = loadConfig(file, env)
  if (!loaded.ok) throw new GatewayFileError(loaded.faults)
  const config = withConsole(developmentConfig(loaded.config, development), portOf('console', portBase))
  const { host, port, admin } = config.gateway
  // Only the port is checked: the gateway may use TLS with an unknown certificate.
  const isReady = () => isListening({ host, port })
  const consolePort = admin?.port
  const own = { row, entry, host, port, env, consolePort, mcpResource: mcpResource(config), isReady }
  return { own, config }
}

// The port that a generated gateway.yaml expects its service at, 8081 by default.
const SERVICE_DISTANCE = 1

/** The user's own service. Its variables are those of every part; a `DATABASE_URL` of the user stays. */
function planOwnService(options: PlanOptions, environmentOf: EnvironmentOf): PlannedPart[] {
  const { serviceFile, portBase } = options
  if (serviceFile === undefined) return []
  const row: PartRow = {
    name: 'service',
    distance: SERVICE_DISTANCE,
    purpose: 'your service',
    runs: { program: resolve(serviceFile) },
  }
  const entry = findEntry(row)
  const port = portBase + SERVICE_DISTANCE
  const ports = { PORT: String(port), SERVICE_PORT: String(port) }
  const env = { ...environmentOf(row), ...ports, DATABASE_URL: options.env['DATABASE_URL'] }
  // Only the port is checked: the user's service may have no health path.
  const isReady = () => isListening({ host: HOST, port })
  return entry === undefined ? [] : [{ row, entry, host: HOST, port, env, isReady }]
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
