import { conditions, outcomes } from '@agentic-rest/profile'
import { LRUCache } from 'lru-cache'
import type { Exchange } from '../exchange.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import { isDeeperThan } from '../upstream/check-response.ts'
import { type HttpAnswer, HttpLookupError, lookUp } from '../upstream/http-client.ts'
import { TargetGroup } from '../upstream/targets/target-group.ts'
import type { UpstreamTarget } from '../upstream/upstream-pool.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'

/** Finds the OpenAPI document of the service behind a route. */
export interface ServiceDocuments {
  /** Answers `?route=ID`. */
  find(exchange: Exchange): Promise<AdminAnswer>
}

/** The path at which services publish their document, below the target of a route. */
const DOCUMENT_PATH = '/openapi.json'
const MAX_BYTES = 1_048_576
const TIMEOUT_MS = 2_000
/** Parsing a megabyte of brackets would block the gateway for a second, and writing it overflows the stack. */
const MAX_DEPTH = 128
/** Short, so that a restarted service is described anew. It bounds the requests that an open console causes. */
const KEPT_MS = 10_000
const MAX_KEPT = 16

/**
 * Reads documents from the targets of the configuration only, without the caller's headers and without redirects. Documents are
 * fetched with the connections of the route, which have its certificates, one at a time from each address.
 */
export function createServiceDocuments(current: () => Pick<Snapshot, 'config' | 'pools'>): ServiceDocuments {
  const kept = new LRUCache<string, Promise<AdminAnswer>>({ max: MAX_KEPT, ttl: KEPT_MS })
  return {
    async find({ query }) {
      const id = new URLSearchParams(query).get('route') ?? ''
      if (id === '') return faultAnswer('INVALID', 'route is missing.')
      const { config, pools } = current()
      const route = config.routes.find((each) => each.id === id)
      if (route === undefined) return faultAnswer('NOT_FOUND', 'No route has this id.')
      const destination = pools.get(route)
      // Every target of an upstream is the same service.
      const target = destination instanceof TargetGroup ? destination.anyTarget() : destination
      if (target === undefined) return faultAnswer('UNAVAILABLE', unanswered.unreachable)
      const key = JSON.stringify([target.pool.name, target.origin, target.basePath])
      const known = kept.get(key)
      if (known !== undefined) return await known
      const answer = readDocument(target)
      kept.set(key, answer)
      return await answer
    },
  }
}

async function readDocument({ pool, origin, basePath }: UpstreamTarget): Promise<AdminAnswer> {
  try {
    // A target with a path may be one of several services of a host, or a service that publishes at its root.
    const paths = new Set([`${basePath}${DOCUMENT_PATH}`, DOCUMENT_PATH])
    let answer: AdminAnswer | undefined
    for (const path of paths) {
      const url = new URL(path, origin)
      const options = { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, repeatLost: true } as const
      const found = await lookUp(pool, url, options)
      answer = answerOf(found)
      if (found.status !== conditions.not_found) break
    }
    return answer ?? absent(conditions.not_found)
  } catch (error) {
    return faultOf(error)
  }
}

function answerOf({ status, body }: HttpAnswer): AdminAnswer {
  if (status !== outcomes.success.status) return absent(status)
  const document = parseDocument(body)
  if (document === undefined)
    return faultAnswer('INVALID', `${DOCUMENT_PATH} of the service is not an OpenAPI 3 document in JSON.`)
  return jsonAnswer({ document })
}

function absent(status: number): AdminAnswer {
  return faultAnswer(
    'NOT_FOUND',
    `The service publishes no OpenAPI document: it answers ${DOCUMENT_PATH} with ${status}.`,
  )
}

function parseDocument(body: Buffer): object | undefined {
  if (isDeeperThan(body, MAX_DEPTH)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value !== 'object' || value === null || !('openapi' in value)) return undefined
    return typeof value.openapi === 'string' && value.openapi.startsWith('3.') ? value : undefined
  } catch {
    return undefined
  }
}

const unanswered = {
  timeout: `The service did not send its OpenAPI document within ${TIMEOUT_MS / 1000} s.`,
  unreachable: 'The service cannot be reached.',
} as const

function faultOf(error: unknown): AdminAnswer {
  if (!(error instanceof HttpLookupError)) throw error
  if (error.reason === 'too_large')
    return faultAnswer('TOO_LARGE', `The OpenAPI document of the service is larger than ${MAX_BYTES} bytes.`)
  return faultAnswer('UNAVAILABLE', unanswered[error.reason])
}
