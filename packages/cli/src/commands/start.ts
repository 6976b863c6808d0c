import { type ConfigFault, formatFaults, type LogLevel, loadConfig, logLevels } from '@agentic-rest/gateway'
import { defineCommand } from '../command.ts'
import { endProcess, exitCodes, type Host, WORKER_VARIABLE } from '../host.ts'
import { loadFilePlugins } from '../load-file-plugins.ts'
import { openLog } from '../open-log.ts'
import { serve } from '../serve.ts'

/** `agentic start -c FILE`: runs a gateway until a signal stops it. */
export const start = defineCommand({
  name: 'start',
  description:
    'Runs a gateway until a signal stops it. Audit records go to stdout. The log goes to stderr, as JSON lines or, on a\n' +
    'terminal, as readable lines. SIGTERM and SIGINT finish the requests in flight first; a second SIGINT ends at once.\n' +
    'SIGHUP, "npx agentic reload" and, with --watch, a change of the file reload it without a restart. An invalid file is\n' +
    'refused and changes nothing.',
  operands: [],
  options: {
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      required: true,
      description: 'The configuration file.',
    },
    watch: { type: 'boolean', description: 'Reloads the file after each change.' },
    'log-level': {
      type: 'string',
      value: 'LEVEL',
      choices: logLevels,
      default: 'info',
      description: 'The log level.',
    },
  },
  examples: [
    'npx agentic start -c gateway.yaml',
    'npx agentic start -c gateway.yaml --watch --log-level debug',
  ],
  async run({ values: { config: file, watch, 'log-level': level } }, host) {
    if (host.env[WORKER_VARIABLE] !== undefined) return await endProcess(host, await runWorker(host))
    const loaded = await loadFilePlugins(loadConfig(file, host.env), host)
    if (!loaded.ok) {
      host.stderr.write(`${formatFaults(loaded.faults)}\n`)
      return codeOf(loaded.faults)
    }
    // The parser lets only known levels through.
    const logLevel = level as LogLevel
    const log = openLog(host.stderr, logLevel)
    // A failed gateway may leave handles open, which would keep the process alive.
    return await endProcess(host, await serve({ loaded, file, watch, log, logLevel }, host))
  },
})

async function runWorker(host: Host): Promise<number> {
  const { runAsWorker } = await import('../workers.ts')
  return await runAsWorker(host)
}

/** Faults of the initialisation alone do not make a file invalid (decision 33). */
function codeOf(faults: readonly ConfigFault[]): number {
  return faults.every(({ kind }) => kind === 'initialisation') ? exitCodes.failed : exitCodes.invalid
}
