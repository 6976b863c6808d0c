import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { repositoryRoot } from '../tools/packed-packages.ts'

/** The stack started with a command of a page. */
export interface DocumentedStack {
  /** A command of a page, adapted to the ports of this stack. */
  adapt(command: string): string
  /** The commands that it prints to try. */
  readonly shownCommands: readonly string[]
  /** Ends it like Ctrl-C. */
  stop(): Promise<void>
}

/** Starts the stack with the command of a page, on free ports and with its own data folder. */
export async function startDocumentedStack(command: string): Promise<DocumentedStack> {
  const base = await freePortBase()
  const data = mkdtempSync(join(tmpdir(), 'agentic-stack-'))
  const child = spawn('sh', ['-c', `${command} -- --port-base ${base} --data ${data}`], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  const closed = once(child, 'close')
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    void closed.then(() => reject(new Error(`${command} ended:\n${printed}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('Ctrl-C ends it')) resolve()
    })
  })
  return {
    adapt: (other) => forStack(other, base),
    shownCommands: printed.match(/^ {2}curl .*$/gm) ?? [],
    async stop() {
      process.kill(-pid, 'SIGINT')
      await closed
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function forStack(command: string, base: number): string {
  return command
    .replaceAll(/127\.0\.0\.1:(8\d\d\d)/g, (_, port: string) => `127.0.0.1:${base + Number(port) - 8080}`)
    .replaceAll(/npx agentic token/g, `npx agentic token --port-base ${base}`)
    .replaceAll(/npm run tour( --)?/g, `npm run --silent tour -- --port-base ${base}`)
}
