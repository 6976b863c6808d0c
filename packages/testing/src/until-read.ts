import { get } from 'node:http'

/**
 * Resolves when a gateway of this process has read all bytes that were written to its sockets before. It asks for its health
 * on a new connection: a process reads its sockets in the order in which they became readable.
 */
export async function untilRead(port: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => resolve()
    const asked = get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
      response.resume().on('close', done)
    })
    // A gateway that has closed meanwhile reads nothing more.
    asked.on('error', done)
  })
}
