import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that nobody uses, below those that the kernel gives away: nobody is given it before it is used. */
export async function freePort(): Promise<number> {
  const port = randomInt(26_000, 32_000)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return await freePort()
  server.close()
  await once(server, 'close')
  return port
}
