import type { RequestListener } from 'node:http'
import { malformedStatuses } from '@agentic-rest/profile'
import { getRequestListener, type HttpBindings } from '@hono/node-server'

const bareHeaders = { Connection: 'close', 'Content-Length': '0' }

/** Answers requests. The bindings are Node's request and response. */
export type NodeFetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>

/** Turns `fetch` into a request listener for `node:http` and frameworks based on it. */
export function createNodeListener(fetch: NodeFetch): RequestListener {
  // A listener of node:http never gets HTTP/2 objects.
  const listener = getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings), {
    // By default the library replaces `Request` and `Response` for the whole process.
    overrideGlobalObjects: false,
    // HTTP/1.0 needs no Host. The name is never used.
    hostname: 'localhost',
    // Called only for requests that cannot be constructed. Malformed HTTP gets an answer without a body (decision 3).
    errorHandler: () => new Response(null, { status: malformedStatuses.badRequest, headers: bareHeaders }),
  })
  return function listen(request, response) {
    void listener(request, response)
  }
}
