import type { RequestListener } from 'node:http'
import { malformedStatuses } from '@agentic-rest/profile'
import { getRequestListener } from '@hono/node-server'

const bareHeaders = { Connection: 'close', 'Content-Length': '0' }

/** Serves `fetch` on a Node server, and in every framework that takes a request listener. */
export function createNodeListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  const listener = getRequestListener(fetch, {
    // The library would otherwise replace `Request` and `Response` for the whole process.
    overrideGlobalObjects: false,
    // HTTP/1.0 needs no Host; the name is never looked at.
    hostname: 'localhost',
    // Only a request that could not be made comes here: malformed HTTP gets a bare answer (decision 3).
    errorHandler: () => new Response(null, { status: malformedStatuses.badRequest, headers: bareHeaders }),
  })
  return function listen(request, response) {
    void listener(request, response)
  }
}
