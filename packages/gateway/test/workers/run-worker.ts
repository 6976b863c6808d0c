import { createLog } from '../../src/index.ts'
import { runWorker } from '../../src/workers/worker.ts'

/** A worker as a program. What a test tells it by the environment, it does wrong. */
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
const tookRequests = await runWorker({
  peer: process,
  env: process.env,
  version: '0.0.0-test',
  stdout: process.stdout,
  openLog: ({ level, pretty }) =>
    createLog({ level, pretty, write: (line) => void process.stderr.write(line) }),
})
process.exit(tookRequests ? 0 : 1)
