import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseOwnJson } from '@agentic-rest/client'
import {
  type ConfigResult,
  createGateway,
  createLog,
  type DevelopmentAccess,
  formatFaults,
  type Gateway,
  type GatewayConfig,
  InitialisationError,
  type LoadedResult,
  loadConfig,
  loadPlugins,
  type RecordTaker,
  watchConfig,
} from '@agentic-rest/gateway'
import { httpAudit } from '@agentic-rest/service'
import { developmentConfig, withConsole, withStateSecret } from './development-config.ts'
import { readPeople, requestTokenAt } from './request-token.ts'

type Loaded = Extract<LoadedResult, { readonly ok: true }>

const { GATEWAY_FILE = 'gateway.yaml', DEVELOPMENT_ISSUER, PORT } = process.env
const { CONSOLE_PORT, CONSOLE_FOLDER, IDENTITY_URL, RECORDS_URL, MCP_STATE_SECRET } = process.env

const log = createLog({ level: 'info', pretty: false, write: (line) => void process.stderr.write(line) })
const gateway = await startGateway(await firstConfig())
const { promise: toldToStop, resolve: stop } = Promise.withResolvers<void>()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop())
// In development a change of the file takes effect at once.
const unwatch = watchConfig(GATEWAY_FILE, () => void gateway.reload())
await toldToStop
unwatch()
await gateway.drain()
process.exit(0)

async function firstConfig(): Promise<Loaded> {
  const loaded = await loadPlugins(readFile())
  if (loaded.ok) return loaded
  process.stderr.write(`${formatFaults(loaded.faults)}\n`)
  process.exit(2)
}

/** Reads the file and adds the settings of the stack, at the start and at every reload. */
function readFile(): ConfigResult {
  const loaded = loadConfig(GATEWAY_FILE, process.env)
  return loaded.ok ? { ...loaded, config: inStack(loaded.config) } : loaded
}

function inStack(file: GatewayConfig): GatewayConfig {
  const own = MCP_STATE_SECRET === undefined ? file : withStateSecret(file, MCP_STATE_SECRET)
  const config =
    DEVELOPMENT_ISSUER === undefined
      ? own
      : developmentConfig(own, { issuer: DEVELOPMENT_ISSUER, port: Number(PORT) })
  return CONSOLE_PORT === undefined ? config : withConsole(config, Number(CONSOLE_PORT))
}

async function startGateway({ config, warnings, customPlugins }: Loaded): Promise<Gateway> {
  try {
    // Audit records go to stdout; the stack writes them to a file and shows them.
    const { stdout } = process
    const made = createGateway({
      config,
      warnings,
      customPlugins,
      baseFolder: dirname(GATEWAY_FILE),
      version: readVersion(),
      log,
      stdout,
      source: { file: GATEWAY_FILE, read: readFile },
      admin: {
        consoleFolder: CONSOLE_FOLDER,
        file: GATEWAY_FILE,
        development: IDENTITY_URL === undefined ? undefined : developmentAccess(IDENTITY_URL),
      },
      onRecord: recordTaker(),
    })
    await made.start()
    return made
  } catch (error) {
    if (!(error instanceof InitialisationError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Shows every request in the terminal of the stack, and sends it to the console of another gateway if there is one. */
function recordTaker(): RecordTaker {
  const audit = RECORDS_URL === undefined ? undefined : httpAudit({ url: RECORDS_URL })
  let isFull = false
  return (record) => {
    audit?.emit(record)
    // A terminal that stalls gets no further lines: the queue of the channel has no limit (F10).
    if (isFull || process.send === undefined) return
    isFull = !process.send(record, undefined, undefined, () => {
      isFull = false
    })
  }
}

/** Tokens and people of the identity provider, for the console. */
function developmentAccess(identityUrl: string): DevelopmentAccess {
  return {
    people: () => readPeople(identityUrl),
    requestToken: ({ sub, tenant, roles }) =>
      requestTokenAt(identityUrl, { sub, tenant, roles: roles?.join(',') }),
  }
}

/** The version of this package. */
function readVersion(): string {
  const manifest = parseOwnJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return (manifest as { version: string }).version
}
