import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePortBase } from './free-port-base.ts'
import { programPath } from './programs.ts'
import { startPostgres } from './start-postgres.ts'
import { newFolder, startStack } from './start-stack.ts'

// The program that `shared-parts.ts` starts: it prints its address, and ends its parts when its stdin ends.

/** A part that runs until the last test of the set has ended. */
interface SharedPart {
  /** For the tests: where it is. */
  readonly endpoint: string
  close(): Promise<void>
}

// The browser calls only the servers of the tests.
const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const starters = {
  async postgres(): Promise<SharedPart> {
    const { url, close } = await startPostgres()
    return { endpoint: url, close }
  },
  /** The reference stack, started by the command of the README. */
  async stack(): Promise<SharedPart> {
    const folder = newFolder()
    const stack = await startStack({ portBase: await freePortBase(), data: folder.path })
    return {
      endpoint: JSON.stringify({ portBase: stack.portBase, printed: stack.printed() }),
      async close() {
        stack.npm.kill('SIGTERM')
        await stack.ended
        folder.remove()
      },
    }
  },
  async browser(): Promise<SharedPart> {
    const { chromium } = await import('playwright-core')
    const server = await chromium.launchServer({
      executablePath: programPath('chromium'),
      args: browserFlags,
      host: '127.0.0.1',
    })
    return { endpoint: server.wsEndpoint(), close: () => server.close() }
  },
} satisfies Readonly<Record<string, () => Promise<SharedPart>>>

/** The name of a shared part. */
export type SharedPartName = keyof typeof starters

const started = new Map<SharedPartName, Promise<SharedPart>>()

/** Each part starts when the first test asks for it: a run of one file starts nothing that it does not need. */
function start(name: SharedPartName): Promise<SharedPart> {
  const part = started.get(name) ?? starters[name]()
  started.set(name, part)
  return part
}

const server = createServer((request, response) => {
  // A client would send its next request, minutes later, on a connection that is being closed.
  response.setHeader('Connection', 'close')
  start((request.url ?? '').slice(1) as SharedPartName).then(
    ({ endpoint }) => response.end(endpoint),
    (error) => response.writeHead(500).end(String(error)),
  )
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)

process.stdin.resume()
await once(process.stdin, 'end')
server.closeAllConnections()
server.close()
const parts = await Promise.allSettled(started.values())
await Promise.all(parts.map((part) => (part.status === 'fulfilled' ? part.value.close() : undefined)))
process.exit(0)
