import { createClient } from '@agentic-rest/client'
import type { Sending } from './exchange.ts'
import type { WireRequest } from './to-curl.ts'
import { wireRequest } from './wire-log.ts'

/** The request as the client would send it, without sending it. */
export async function captureRequest({ baseUrl, token, request, isStream }: Sending): Promise<WireRequest> {
  let captured: WireRequest | undefined
  const client = createClient({
    baseUrl,
    token: token || undefined,
    async fetch(url, init) {
      captured = wireRequest(url, init)
      throw new Error('captured')
    },
  })
  const sent = isStream ? client.stream(request).next() : client.request(request)
  // The client reports invalid requests; a captured request fails by design.
  await sent.catch((error: unknown) => {
    if (captured === undefined) throw error
  })
  if (captured === undefined) throw new TypeError('nothing was sent')
  return captured
}
