import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real HTTP server on a free port. */
export interface OpenServer {
  readonly url: string
  readonly port: number
  readonly server: Server
  /** Cuts its connections and resolves when its port is free; a second call does nothing. */
  close(): Promise<void>
}

/** Serves a listener until `close`, also outside of a test. */
export async function openServer(
  listener: RequestListener,
  options: ServerOptions = {},
): Promise<OpenServer> {
  const server = createServer(options, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.closeAllConnections()
    server.close()
    await closed
  }
  return { server, port, close, url: `http://127.0.0.1:${port}` }
}
