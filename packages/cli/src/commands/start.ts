import {
  type ConfigFault,
  formatFaults,
  type LogLevel,
  loadConfig,
  logLevels,
  WORKER_VARIABLE,
} from '@agentic-rest/gateway'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { endProcess, type Host } from '../host.ts'
import { openLog } from '../open-log.ts'
import { serve } from '../serve.ts'

/** `agentic start -c FILE`: a gateway that runs until a signal ends it. */
export const start = defineCommand({
  name: 'start',
  description:
    'Runs a gateway until it is told to stop. Audit records go to stdout, the log goes to stderr: JSON lines, or\n' +
    'readable ones on a terminal. SIGTERM and SIGINT finish what is in flight first; a second SIGINT ends at once.\n' +
    'SIGHUP, "agentic reload" and, with --watch, a changed file put the file in use without a restart; one that is not\n' +
    'valid is refused and changes nothing.',
  operands: [],
  options: {
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      required: true,
      description: 'The configuration file.',
    },
    watch: { type: 'boolean', description: 'Reloads the file whenever it changes.' },
    'log-level': {
      type: 'string',
      value: 'LEVEL',
      choices: logLevels,
      default: 'info',
      description: 'How much is logged.',
    },
  },
  examples: ['agentic start -c gateway.yaml', 'agentic start -c gateway.yaml --watch --log-level debug'],
  async run({ values: { config: file, watch, 'log-level': level } }, host) {
    if (host.env[WORKER_VARIABLE] !== undefined) return await endProcess(host, await runWorker(host))
    const loaded = loadConfig(file, host.env)
    if (!loaded.ok) {
      host.stderr.write(`${formatFaults(loaded.faults)}\n`)
      return codeOf(loaded.faults)
    }
    // The parser has let nothing but a level through.
    const logLevel = level as LogLevel
    const log = openLog(host.stderr, logLevel)
    // Whatever a gateway that failed has left open must not keep the process.
    return await endProcess(host, await serve({ loaded, file, watch, log, logLevel }, host))
  },
})

async function runWorker(host: Host): Promise<number> {
  const { runAsWorker } = await import('../workers.ts')
  return await runAsWorker(host)
}

/** A file whose only fault is that a start with it must fail is no invalid file (decision 33). */
function codeOf(faults: readonly ConfigFault[]): number {
  return faults.every(({ kind }) => kind === 'initialisation') ? exitCodes.failed : exitCodes.invalid
}
