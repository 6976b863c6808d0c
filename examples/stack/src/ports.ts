import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { allPorts, DEFAULT_PORT_BASE, MAX_PORT_BASE } from './parts.ts'

/** A port that a part needs. */
export interface WantedPort {
  readonly name: string
  readonly port: number
  readonly host: string
}

/** Some ports are taken. The message names them and suggests others. */
export class PortsTakenError extends Error {
  override readonly name = 'PortsTakenError'
  readonly taken: readonly WantedPort[]

  constructor(taken: readonly WantedPort[], advice: string) {
    const list = taken.map(({ name, port }) => `port ${port}, which ${name} needs, is taken`)
    super([...list, advice].join('\n'))
    this.taken = taken
  }
}

/** Rejects with a `PortsTakenError` if another process uses a port of a part. */
export async function assertFree(
  wanted: readonly WantedPort[],
  command: (options: string) => string,
): Promise<void> {
  const free = await Promise.all(wanted.map(isFree))
  const taken = wanted.filter((_, index) => free[index] === false)
  if (taken.length > 0) throw new PortsTakenError(taken, await adviceOn(command))
}

const STEP = 1000

/** Finds a port base with all ports free. */
export async function findFreeBase(from = DEFAULT_PORT_BASE): Promise<number | undefined> {
  for (let base = from; base <= MAX_PORT_BASE; base += STEP) {
    const wanted = allPorts(base).map((each) => ({ ...each, host: '127.0.0.1' }))
    const free = await Promise.all(wanted.map(isFree))
    if (free.every(Boolean)) return base
  }
  return undefined
}

async function adviceOn(command: (options: string) => string): Promise<string> {
  const base = await findFreeBase(DEFAULT_PORT_BASE + STEP)
  return `Choose other ports, for example with ${command(`--port-base ${base ?? DEFAULT_PORT_BASE + STEP}`)}.`
}

async function isFree({ port, host }: WantedPort): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** Whether a port accepts connections. */
export async function isListening({ port, host }: Omit<WantedPort, 'name'>): Promise<boolean> {
  const socket = connect({ port, host })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
