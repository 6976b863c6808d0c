import type { RequestListener } from 'node:http'
import { EVENT_STREAM_TYPE, headers, malformedStatuses, mediaTypeEssence } from '@agentic-rest/profile'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { EventReadable } from '../stream/event-body.ts'
import { writeEvents } from './write-events.ts'

const bareHeaders = { Connection: 'close', 'Content-Length': '0' }

/** Answers requests. The bindings are Node's request and response. */
export type NodeFetch = (request: Request, bindings: HttpBindings) => Response | Promise<Response>

/** Turns `fetch` into a request listener for `node:http` and frameworks based on it. */
export function createNodeListener(fetch: NodeFetch): RequestListener {
  // A listener of node:http never gets HTTP/2 objects.
  const answer = async (request: Request, bindings: HttpBindings) =>
    send(await fetch(request, bindings), bindings)
  const listener = getRequestListener((request, bindings) => answer(request, bindings as HttpBindings), {
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

/** Writes the streams of a service here and leaves every other answer to the library. */
function send(response: Response, bindings: HttpBindings): Response {
  const { body } = response
  if (!(body instanceof EventReadable) || response.bodyUsed || body.locked)
    return sentAtOnce(response, bindings)
  writeEvents(response, body.source, bindings.outgoing)
  return RESPONSE_ALREADY_SENT
}

/**
 * The library reads the first parts of a body before it sends the head, and takes a body that breaks off there for a whole
 * one. It does neither when the framing is given.
 */
function sentAtOnce(response: Response, { incoming }: HttpBindings): Response {
  const essence = mediaTypeEssence(response.headers.get(headers.contentType) ?? undefined)
  if (essence === EVENT_STREAM_TYPE && incoming.httpVersion === '1.1')
    response.headers.set('Transfer-Encoding', 'chunked')
  return response
}
