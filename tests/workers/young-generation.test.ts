import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startUpstream } from '../../packages/cli/test/harness/start-upstream.ts'
import { startWorkers } from './start-workers.ts'

const probe = join(import.meta.dirname, 'new-space-probe.cjs')

/** More than V8 begins with, and than it keeps while a gateway is loaded. */
const GROWN_BYTES = 8_000_000

// While it is loaded the space for new objects is kept small. If it stayed so, every collection of a loaded gateway would
// move what is about to die.
test.each([1, 2])(
  'the space for new objects of %i processes that serve grows with the load',
  async (workers) => {
    const { url: target } = await startUpstream((_request, response) => response.end())
    const env = { NODE_OPTIONS: `--require=${probe}` }
    const gateway = await startWorkers({ target, workers }, env)
    const serving = workers === 1 ? [gateway.child.pid ?? 0] : gateway.pids()
    expect(serving).toHaveLength(workers)
    for (const pid of serving) {
      process.kill(pid, 'SIGUSR2')
      const { bytes } = await gateway.logged(`new space of ${pid}`)
      expect(bytes).toBeGreaterThan(GROWN_BYTES)
    }
  },
)
