import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { configText, type TestConfig } from './config-text.ts'
import { freePort } from './free-port.ts'

/** The options of a gateway process. */
export interface GatewayProcessOptions {
  /** The folder of the configuration; by default a new one, removed by `stop`. */
  readonly folder?: string
  /** By default on a free port and in closed-network mode. */
  readonly config: TestConfig
  /** The certificate of a gateway with TLS. */
  readonly certificate?: string
  /** Distinguishes several gateways in one folder. */
  readonly name?: string
  /** Arguments for Node, before the program. */
  readonly nodeArguments?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Gets each line of stdout, the audit records; without it they are not read. */
  readonly onLine?: (line: string) => void
  /** Gets each line of stderr, the log. */
  readonly onLogLine?: (line: string) => void
}

/** The end of a process. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** An answer of the gateway. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** `agentic start` as a process of its own. */
export interface GatewayProcess {
  readonly port: number
  readonly url: string
  readonly pid: number
  readonly configFile: string
  /** Resident memory in bytes. */
  rss(): number
  /** Reads a path of the gateway, on a connection of its own. */
  read(path: string): Promise<Answer>
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** Its last lines on stderr. */
  errors(): string
  kill(signal: NodeJS.Signals): void
  /** Resolves at its end. */
  readonly ended: Promise<ProcessEnd>
  /** Its end; undefined while it runs. */
  end(): ProcessEnd | undefined
  /** Kills it if it still runs, without a drain. */
  stop(): Promise<void>
}

const program = join(import.meta.dirname, '../../cli/bin/agentic.cjs')
const READY_TIMEOUT_MS = 30_000
const KEPT_LINES = 200

/** Starts a gateway and resolves when `/readyz` answers. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { config, name = 'gateway', nodeArguments = [], env, onLine } = options
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'agentic-gateway-'))
  const port = Number(config.gateway?.['port'] ?? (await freePort()))
  const configFile = join(folder, `${name}.yaml`)
  writeFileSync(configFile, configText({ ...config, gateway: { ...config.gateway, port } }))
  const child = spawn(process.execPath, [...nodeArguments, program, 'start', '-c', configFile], {
    env: { ...process.env, ...env },
    stdio: ['ignore', onLine === undefined ? 'ignore' : 'pipe', 'pipe'],
  })
  if (onLine !== undefined && child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', onLine)
  const remove = () => {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const running = watch(child, { ...options, port, configFile, remove })
  try {
    await untilReady(running)
    return running
  } catch (error) {
    await running.stop()
    throw error
  }
}

interface Watched
  extends Pick<GatewayProcess, 'port' | 'configFile'>,
    Pick<GatewayProcessOptions, 'onLogLine' | 'certificate'> {
  remove(): void
}

function watch(child: ChildProcess, watched: Watched): GatewayProcess {
  const { port, configFile, onLogLine, certificate, remove } = watched
  const pid = child.pid ?? 0
  const url = `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  const errors = keepLines(child, onLogLine)
  let end: ProcessEnd | undefined
  const ended = once(child, 'exit').then(([code, signal]): ProcessEnd => {
    end = { code, signal }
    return end
  })
  return {
    port,
    url,
    pid,
    configFile,
    rss: () => residentBytes(pid),
    read: (path) => read(`${url}${path}`, certificate),
    metrics: async () => (await read(`${url}/metrics`, certificate)).text,
    errors,
    kill: (signal) => void child.kill(signal),
    ended,
    end: () => end,
    async stop() {
      child.kill('SIGKILL')
      await ended
      remove()
    },
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Only the last lines: a gateway under fuzzing may log a lot. */
function keepLines(child: ChildProcess, onLogLine: Watched['onLogLine']): () => string {
  const lines: string[] = []
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => {
      onLogLine?.(line)
      lines.push(line)
      if (lines.length > KEPT_LINES) lines.shift()
    })
  return () => lines.join('\n')
}

async function untilReady(gateway: GatewayProcess): Promise<void> {
  const { end, errors } = gateway
  const latest = performance.now() + READY_TIMEOUT_MS
  while (!(await isReady(gateway))) {
    if (end() !== undefined) throw new Error(`the gateway ended before it was ready:\n${errors()}`)
    if (performance.now() > latest) throw new Error(`the gateway was not ready in time:\n${errors()}`)
    await wait(10)
  }
}

async function isReady(gateway: GatewayProcess): Promise<boolean> {
  try {
    return (await gateway.read('/readyz')).status === 200
  } catch {
    return false
  }
}

async function read(url: string, certificate: string | undefined): Promise<Answer> {
  const headers = { connection: 'close' }
  if (certificate === undefined) {
    const response = await fetch(url, { headers })
    return { status: response.status, text: await response.text() }
  }
  const [response] = await once(get(url, { ca: certificate, headers }), 'response')
  return { status: response.statusCode, text: await text(response) }
}
