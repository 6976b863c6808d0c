import { Agent, request } from 'node:http'

/** Clients that ask without a pause. */
export interface Pressure {
  /** The answers by status; 0 for a lost connection. */
  readonly statuses: ReadonlyMap<number, number>
  stop(): Promise<void>
}

const LOOPS = 3
const PAUSE_MS = 10

/** Asks all gateways for one tenant until it is stopped. The caller stops it. */
export function press(ports: readonly number[], tenant: string, path = '/items'): Pressure {
  const agent = new Agent({ keepAlive: true })
  const statuses = new Map<number, number>()
  let isStopped = false
  const loop = async (port: number) => {
    while (!isStopped) {
      const status = await ask({ agent, port, tenant, path })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Wait: clients ask at a pace, to leave room for the gateways.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  const loops = ports.flatMap((port) => Array.from({ length: LOOPS }, () => loop(port)))
  const stop = async () => {
    isStopped = true
    await Promise.all(loops)
    agent.destroy()
  }
  return { statuses, stop }
}

interface Asked {
  readonly agent: Agent
  readonly port: number
  readonly tenant: string
  readonly path: string
}

function ask({ agent, port, tenant, path }: Asked): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'X-Tenant-ID': tenant }
    const asking = request({ host: '127.0.0.1', agent, port, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    asking.on('error', () => resolve(0))
    asking.end()
  })
}
