import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createClient } from 'redis'
import { freePort } from './free-port.ts'

/** A Redis of its own, in a folder that is the caller's to remove. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Sends one command on a connection of its own, as somebody who may do everything. */
  command(...words: string[]): Promise<unknown>
  kill(signal: NodeJS.Signals): void
  /** Ends it and resolves when its port is free. */
  stop(): Promise<void>
  /** The same again, on the same port. */
  restart(): Promise<void>
}

/** What to start. */
export interface RedisServerOptions {
  /** The path of `redis-server`. */
  readonly program: string
  readonly folder: string
  /** Further settings, as the command line has them. */
  readonly settings?: readonly string[]
  /** How it is reached, where that is not `redis://127.0.0.1:PORT`. */
  readonly address?: (port: number) => string
}

/** Starts Redis on a free port and resolves when it takes connections. Nothing is kept on disk. */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const port = await freePort()
  let child = await launch(options, port)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    port,
    url: options.address?.(port) ?? `redis://127.0.0.1:${port}`,
    command: (...words) => sendCommand(port, words),
    kill: (signal) => void child.kill(signal),
    stop,
    async restart() {
      await stop()
      child = await launch(options, port)
    },
  }
}

async function launch({ program, folder, settings = [] }: RedisServerOptions, port: number) {
  const fixed = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--loglevel',
    'notice',
  ]
  const child = spawn(program, [...fixed, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] })
  await untilReady(child)
  return child
}

function untilReady(child: ChildProcess): Promise<void> {
  const said: string[] = []
  return new Promise((resolve, reject) => {
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line)
        if (line.includes('Ready to accept connections')) resolve()
      })
    child.on('exit', () => reject(new Error(`redis-server ended: ${said.slice(-5).join('\n')}`)))
  })
}

async function sendCommand(port: number, words: readonly string[]): Promise<unknown> {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: false } })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}
