import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { repositoryRoot } from './packed-packages.ts'

/** A gateway that a page tells the reader to start. */
export interface DocumentedGateway {
  readonly port: number
  /** Ends it as Ctrl-C does; resolves with what it logged at level info. */
  stop(): Promise<string[]>
}

/** Starts a gateway with a command of a page, on a free port in place of the usual one. */
export async function startGateway(command: string): Promise<DocumentedGateway> {
  const child = spawn('sh', ['-c', command], {
    cwd: repositoryRoot,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  const closed = once(child, 'close')
  const messages: string[] = []
  const port = new Promise<number>((resolve, reject) => {
    void closed.then(() => reject(new Error(`${command} ended: ${messages.join(', ')}`)))
    createInterface(child.stderr).on('line', (line) => {
      const { level, msg, port: listening } = readLine(line)
      if (level === 'info' && msg !== undefined) messages.push(msg)
      if (listening !== undefined) resolve(listening)
    })
  })
  return {
    port: await port,
    async stop() {
      // Shell, npx and gateway share a group, as they do in a terminal.
      process.kill(-pid, 'SIGINT')
      await closed
      return messages
    },
  }
}

// npx may have something of its own to say.
function readLine(line: string): { level?: string; msg?: string; port?: number } {
  return line.startsWith('{') ? JSON.parse(line) : {}
}
