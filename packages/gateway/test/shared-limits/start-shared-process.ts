import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestConfig } from '@agentic-rest/testing/config-text'
import type { LeaseTimes } from '../../src/limits/streams/lease-store.ts'

/** A gateway in its own process. */
export interface SharedProcess {
  readonly port: number
  readonly url: string
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** Kills the process, so that it releases nothing. */
  kill(): Promise<void>
}

/** Starts a gateway with short lease times. The caller kills it. */
export async function startSharedProcess(config: TestConfig, times: LeaseTimes): Promise<SharedProcess> {
  const script = `${import.meta.dirname}/run-shared-gateway.ts`
  const words = ['--conditions=agentic-source', script, JSON.stringify(config), JSON.stringify(times)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  if (child.exitCode !== null) throw new Error('the gateway ended before it was ready')
  const url = `http://127.0.0.1:${line}`
  return {
    port: Number(line),
    url,
    metrics: async () => (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text(),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
