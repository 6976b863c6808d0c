import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { findFreeBase } from '@agentic-rest/stack'

/** Below the ports that the system gives to clients. */
const FIRST_PORT = 10_000
/** More than the ports of a stack, and one for the claim. */
const PORTS_PER_BLOCK = 150
const BLOCKS = 100

/**
 * A port base where everything is free. The block of ports is claimed until this process ends: between this look and the
 * start of the stack another test, also one of another clone, could take a port.
 */
export async function freePortBase(): Promise<number> {
  const first = randomInt(BLOCKS)
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const block = FIRST_PORT + ((first + tried) % BLOCKS) * PORTS_PER_BLOCK
    if ((await claim(block)) && (await findFreeBase(block + 1)) === block + 1) return block + 1
  }
  throw new Error('there are no free ports')
}

/** Whether this process has taken the first port of a block, which only claims it. */
async function claim(port: number): Promise<boolean> {
  const server = createServer()
  server.unref().listen(port, '127.0.0.1')
  return await once(server, 'listening').then(
    () => true,
    () => false,
  )
}
