import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { programPath } from './programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the server that starts shared parts. */
    sharedParts: string
  }
}

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

/**
 * Vitest calls this before the first test of a set, and the returned function after the last. A part starts when the first
 * test asks for it, so that a run of one file starts nothing that it does not need.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const started = new Map<SharedPartName, Promise<SharedPart>>()
  const start = (name: SharedPartName): Promise<SharedPart> => {
    const part = started.get(name) ?? starters[name]()
    started.set(name, part)
    return part
  }
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1) as SharedPartName
    start(name).then(
      ({ endpoint }) => response.end(endpoint),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  provide('sharedParts', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    const parts = await Promise.allSettled(started.values())
    await Promise.all(parts.map((part) => (part.status === 'fulfilled' ? part.value.close() : undefined)))
  }
}

/** Where a shared part is; starts it if no other test has. */
export async function sharedPart(name: SharedPartName): Promise<string> {
  const response = await fetch(`${inject('sharedParts')}/${name}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`the shared ${name} did not start: ${text}`)
  return text
}
