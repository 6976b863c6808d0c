import { existsSync } from 'node:fs'
import {
  DatabaseError,
  DataInUseError,
  firstPerson,
  GatewayFileError,
  greet,
  npmCommand,
  npmScriptOf,
  PartFailedError,
  PortsTakenError,
  readPortBase,
  requestToken,
  runningScript,
  type Stack,
  startStack,
  typedCommand,
} from '@agentic-rest/stack'
import { defineCommand } from '../command.ts'
import { findConsoleFolder } from '../console-folder.ts'
import { endProcess, exitCodes, type Host } from '../host.ts'
import { portBaseOption } from '../port-base.ts'
import { terminalLine } from '../terminal-text.ts'

interface Wanted {
  readonly portBase: number
  readonly dataFolder: string | undefined
  readonly gatewayFile: string | undefined
  readonly serviceFile: string | undefined
  readonly verbose: boolean
}

const OWN_FILE = 'gateway.yaml'

/** `agentic dev`: runs the reference stack, or the gateway of this folder with an identity provider. */
export const dev = defineCommand({
  name: 'dev',
  description:
    'Runs the reference stack on this machine until Ctrl-C: two gateways, the example services and an identity provider.\n' +
    'It needs no network and no account. In a folder with a gateway.yaml it runs that gateway and the identity provider\n' +
    'instead, with the people of people.yaml beside it, and the program of --service. DATABASE_URL selects a PostgreSQL\n' +
    'server instead of embedded databases. Not for production.',
  operands: [],
  options: {
    'port-base': portBaseOption,
    data: {
      type: 'string',
      value: 'FOLDER',
      default: '.agentic',
      description: 'The folder for data, keys and audit records; .agentic by default.',
    },
    memory: {
      type: 'boolean',
      description: 'Keeps everything in memory: no data, keys or audit records on disk.',
    },
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      description:
        'The configuration of your gateway; gateway.yaml by default, if it exists. A change reloads it.',
    },
    service: {
      type: 'string',
      value: 'FILE',
      description:
        'The program of your service, run beside your gateway with SERVICE_PORT; a change in its folder restarts it.',
    },
    verbose: { type: 'boolean', description: 'Shows all log lines of the parts, not only warnings.' },
  },
  examples: [
    'npx agentic dev',
    'npx agentic dev --port-base 9080',
    'npx agentic dev --memory -c my-gateway.yaml',
    'npx agentic dev --service src/main.ts',
  ],
  async run({ values }, host) {
    const portBase = readPortBase(values['port-base'])
    if (!portBase.ok) return fail(host, portBase.fault, exitCodes.invalid)
    const wanted = {
      portBase: portBase.value,
      dataFolder: values.memory ? undefined : values.data,
      gatewayFile: values.config ?? (existsSync(OWN_FILE) ? OWN_FILE : undefined),
      serviceFile: values.service,
      verbose: values.verbose,
    }
    const fault = serviceFault(wanted)
    if (fault !== undefined) return fail(host, fault, exitCodes.invalid)
    return await endProcess(host, await runStack(wanted, host))
  },
})

function serviceFault({ serviceFile, gatewayFile }: Wanted): string | undefined {
  if (serviceFile === undefined) return undefined
  if (gatewayFile === undefined)
    return `--service needs a gateway in front of it: add a ${OWN_FILE} here, or name one with --config`
  const name = terminalLine(serviceFile)
  if (!existsSync(serviceFile)) return `${name}: there is no such file`
  return /\.[cm]?[jt]s$/.test(serviceFile)
    ? undefined
    : `${name}: --service runs programs for Node (.js, .ts); start this one yourself at the address of its routes in ${gatewayFile}, and leave --service out`
}

async function runStack(wanted: Wanted, host: Host): Promise<number> {
  const startedAt = performance.now()
  const signal = stopSignal(host)
  try {
    const databaseUrl = databaseUrlOf(host)
    const consoleFolder = await findConsoleFolder(host)
    const { env, stdout: output } = host
    const command = (options: string) => typedCommand('start', `${keptOptions(wanted, env)}${options}`, env)
    const around = { databaseUrl, consoleFolder, env, output, signal, command }
    const stack = await startStack({ ...wanted, ...around })
    if (!signal.aborted) await tell(stack, wanted, { host, startedAt })
    await stack.ended
    return exitCodes.ok
  } catch (error) {
    // A stop during the start is not a failure.
    if (signal.aborted) return exitCodes.ok
    if (error instanceof GatewayFileError) return fail(host, error.message, exitCodes.invalid)
    if (isExpected(error)) return fail(host, error.message, exitCodes.failed)
    throw error
  }
}

function databaseUrlOf({ env }: Host): string | undefined {
  return env['DATABASE_URL'] || undefined
}

/** Options to repeat in a suggested command. An npm script has them already. */
function keptOptions({ gatewayFile, serviceFile }: Wanted, env: NodeJS.ProcessEnv): string {
  if (npmScriptOf(env) !== undefined) return ''
  const config = gatewayFile === undefined || gatewayFile === OWN_FILE ? '' : `-c ${gatewayFile} `
  return `${config}${serviceFile === undefined ? '' : `--service ${serviceFile} `}`
}

function isExpected(error: unknown): error is Error {
  return [PortsTakenError, DataInUseError, PartFailedError, DatabaseError].some(
    (kind) => error instanceof kind,
  )
}

async function tell(
  stack: Stack,
  { portBase, dataFolder, gatewayFile, serviceFile }: Wanted,
  { host, startedAt }: { readonly host: Host; readonly startedAt: number },
): Promise<void> {
  const person = await firstPerson(portBase)
  if (person === undefined) throw new Error('the identity provider names no people')
  const token = await requestToken({ portBase, sub: person.sub })
  const seconds = (performance.now() - startedAt) / 1000
  const options = portBase === Number(portBaseOption.default) ? '' : `--port-base ${portBase}`
  const tokenCommand = typedCommand('token', options, host.env)
  // The tour is a script of the repository and needs the example services.
  const hasTour = runningScript(host.env) !== undefined && gatewayFile === undefined
  const tourCommand = hasTour ? npmCommand('tour', options) : undefined
  // A gateway without a service has no data.
  const hasServer =
    databaseUrlOf(host) !== undefined && (gatewayFile === undefined || serviceFile !== undefined)
  const commands = { tokenCommand, tourCommand }
  host.stdout.write(`${greet({ stack, token, person, ...commands, dataFolder, hasServer, seconds })}\n`)
}

/** The first SIGTERM or SIGINT stops the stack; a second SIGINT ends this process, and the parts with it, at once. */
function stopSignal(host: Host): AbortSignal {
  const stopping = new AbortController()
  let interrupted = false
  host.on('SIGTERM', () => stopping.abort())
  host.on('SIGINT', () => {
    if (interrupted) host.exit(exitCodes.interrupted)
    interrupted = true
    stopping.abort()
  })
  return stopping.signal
}

function fail(host: Host, message: string, code: number): number {
  host.stderr.write(`${message}\n`)
  return code
}
