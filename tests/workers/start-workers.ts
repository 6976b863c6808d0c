import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { configText } from '@agentic-rest/testing/config-text'
import { onTestFinished } from 'vitest'
import { folderWith, type Running, spawnAgentic } from '../../packages/cli/test/harness/run-agentic.ts'

/** A gateway with several worker processes. */
export interface Workers extends Running {
  readonly url: string
  readonly folder: string
  /** The current worker processes. */
  pids(): number[]
  /** The metrics from any worker. */
  metrics(): Promise<string>
  /** Resolves when a dead worker has been replaced. */
  replaced(): Promise<void>
}

/** The changes of a test. */
export interface WorkersConfig {
  readonly target: string
  readonly workers?: number
  readonly gateway?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
}

/** The text of a configuration with a route for requests and one for streams. */
export function workersConfig({ target, workers = 2, gateway = {}, plugins = {} }: WorkersConfig): string {
  return configText({
    gateway: { workers, ...gateway },
    plugins,
    routes: [
      { id: 'read-item', method: 'GET', path: '/items/{itemId}', target },
      { id: 'events', method: 'POST', path: '/events', target, mode: 'sse', executionTimeoutSeconds: 60 },
    ],
  })
}

/** Starts workers with `agentic start`; they end with the test. */
export async function startWorkers(config: WorkersConfig): Promise<Workers> {
  const folder = folderWith({ 'gateway.yaml': workersConfig(config) })
  const running = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd: folder })
  const { port } = await running.logged('the gateway is listening')
  const url = `http://127.0.0.1:${port}`
  const pids = () => childrenOf(running.child.pid ?? 0)
  return {
    ...running,
    url,
    folder,
    pids,
    metrics: async () => (await ask(`${url}/metrics`)).body,
    async replaced() {
      await running.logged('a worker has taken the place')
    },
  }
}

/** The child processes of a process, from the kernel. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

/** Whether a process runs and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** An answer, or its absence. */
export interface Asked {
  /** 0 for a broken connection. */
  readonly status: number
  readonly body: string
}

/** A separate connection: its requests go to one worker. */
export function createClient(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Sends a request, by default on a new connection. */
export function ask(url: string, agent?: Agent, headers: Record<string, string> = {}): Promise<Asked> {
  return new Promise((resolve) => {
    const broken = () => resolve({ status: 0, body: '' })
    const sent = request(
      url,
      { agent: agent ?? false, headers: { 'x-tenant-id': 'acme', ...headers } },
      (answer) =>
        void readBody(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), broken),
    )
    sent.on('error', broken).end()
  })
}

async function readBody(answer: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of answer.setEncoding('utf8')) body += chunk
  return body
}
