import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { TestConfig } from '@agentic-rest/testing/read-config'
import { onTestFinished } from 'vitest'

/** A gateway in a process of its own, for what can only be measured there. */
export interface GatewayProcess {
  readonly port: number
  readonly url: string
  readonly pid: number
  /** Resident memory in bytes, as the kernel says. */
  rss(): number
}

/** Starts one; it ends with the test. */
export async function startGatewayProcess(config: TestConfig): Promise<GatewayProcess> {
  const script = `${import.meta.dirname}/run-gateway.ts`
  const child = spawn(process.execPath, ['--conditions=agentic-source', script, JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  const [line] = await once(lines, 'line')
  const port = Number(line)
  const pid = child.pid ?? 0
  const rss = () => {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }
  return { port, pid, rss, url: `http://127.0.0.1:${port}` }
}
