import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DEFAULT_PORT_BASE } from '@agentic-rest/stack'
import { repositoryRoot } from '../tools/packed-packages.ts'

/** A gateway started with a command of a page. */
export interface DocumentedGateway {
  readonly port: number
  /** Ends it like Ctrl-C; resolves with its log lines of level info. */
  stop(): Promise<string[]>
}

const PORT = /^PORT=(\d+) /

/** The port that a command of a page gives its gateway. */
export function documentedPort(command: string): number {
  return Number(PORT.exec(command)?.[1] ?? DEFAULT_PORT_BASE)
}

/** Starts a gateway with a command of a page, on a free port instead of the usual one. */
export async function startDocumentedGateway(command: string): Promise<DocumentedGateway> {
  const child = spawn('sh', ['-c', command.replace(PORT, '')], {
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
      // Shell, npx and gateway share a process group, as in a terminal.
      process.kill(-pid, 'SIGINT')
      await closed
      return messages
    },
  }
}

// npx may print lines of its own.
function readLine(line: string): { level?: string; msg?: string; port?: number } {
  return line.startsWith('{') ? JSON.parse(line) : {}
}
