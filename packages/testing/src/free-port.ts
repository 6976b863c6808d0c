import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nobody uses, for programs that cannot be told to pick one. It lies below those that the kernel gives away,
 * so that no other test is given it before it is used, or while nobody is to listen there.
 */
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
