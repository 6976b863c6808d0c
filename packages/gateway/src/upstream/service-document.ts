import { conditions, outcomes, parseJson } from '@agentic-rest/profile'
import { type HttpAnswer, HttpLookupError, lookUp } from './http-client.ts'
import type { UpstreamTarget } from './upstream-pool.ts'

/** The path at which services publish their OpenAPI document, below the target of a route. */
export const DOCUMENT_PATH = '/openapi.json'
/** The largest document that is read. */
export const MAX_DOCUMENT_BYTES = 1_048_576
/** The longest time that a service has to send its document. */
export const DOCUMENT_TIMEOUT_MS = 2_000

/** The document of a service, or why there is none. */
export type DocumentReading =
  | { readonly ok: true; readonly document: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: 'absent'; readonly status: number }
  | { readonly ok: false; readonly problem: 'invalid' | HttpLookupError['reason'] }

/**
 * Reads the OpenAPI document of a target of the configuration, without the caller's headers and without redirects. It is
 * fetched with the connections of the route, which have its certificates.
 */
export async function readServiceDocument({
  pool,
  origin,
  basePath,
}: UpstreamTarget): Promise<DocumentReading> {
  try {
    // A target with a path may be one of several services of a host, or a service that publishes at its root.
    const paths = new Set([`${basePath}${DOCUMENT_PATH}`, DOCUMENT_PATH])
    let status: number = conditions.not_found
    for (const path of paths) {
      const found = await lookUp(pool, new URL(path, origin), {
        method: 'GET',
        timeoutMs: DOCUMENT_TIMEOUT_MS,
        maxBytes: MAX_DOCUMENT_BYTES,
        repeatLost: true,
      })
      status = found.status
      if (status !== conditions.not_found) return readingOf(found)
    }
    return { ok: false, problem: 'absent', status }
  } catch (error) {
    if (!(error instanceof HttpLookupError)) throw error
    return { ok: false, problem: error.reason }
  }
}

function readingOf({ status, body }: HttpAnswer): DocumentReading {
  if (status !== outcomes.success.status) return { ok: false, problem: 'absent', status }
  const document = parseDocument(body)
  return document === undefined ? { ok: false, problem: 'invalid' } : { ok: true, document }
}

function parseDocument(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  const { value } = parseJson(body.toString(), { isMessage: true })
  if (typeof value !== 'object' || value === null || !('openapi' in value)) return undefined
  const isOpenApi = typeof value.openapi === 'string' && value.openapi.startsWith('3.')
  return isOpenApi ? { ...value } : undefined
}
