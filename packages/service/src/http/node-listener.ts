import type { RequestListener } from 'node:http'
import { malformedStatuses } from '@agentic-rest/profile'
import { getRequestListener, type HttpBindings } from '@hono/node-server'

const bareHeaders = { Connection: 'close', 'Content-Length': '0' }

/** Answers requests; the bindings are the request and the response as Node has them. */
export type NodeFetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>

/** Serves `fetch` on a Node server, and in every framework that takes a request listener. */
export function createNodeListener(fetch: NodeFetch): RequestListener {
  // A listener of node:http is never given the objects of HTTP/2.
  const listener = getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
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
