import type { AdminBody } from '@agentic-rest/profile/admin'
import { LRUCache } from 'lru-cache'
import type { Exchange } from '../exchange.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import {
  DOCUMENT_PATH,
  DOCUMENT_TIMEOUT_MS,
  MAX_DOCUMENT_BYTES,
  readServiceDocument,
} from '../upstream/service-document.ts'
import type { UpstreamTarget } from '../upstream/upstream-pool.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'

/** Finds the OpenAPI document of the service behind a route. */
export interface ServiceDocuments {
  /** Answers `?route=ID`. */
  find(exchange: Exchange): Promise<AdminAnswer>
}

/** Short, so that a restarted service is described anew. It bounds the requests that an open console causes. */
const KEPT_MS = 10_000
const MAX_KEPT = 16
const UNREACHABLE = 'The service cannot be reached.'

/** Reads documents from the targets of the configuration only, one at a time from each address. */
export function createServiceDocuments(current: () => Pick<Snapshot, 'config' | 'pools'>): ServiceDocuments {
  const kept = new LRUCache<string, Promise<AdminAnswer>>({ max: MAX_KEPT, ttl: KEPT_MS })
  return {
    async find({ query }) {
      const id = new URLSearchParams(query).get('route') ?? ''
      if (id === '') return faultAnswer('INVALID', 'route is missing.')
      const { config, pools } = current()
      const route = config.routes.find((each) => each.id === id)
      if (route === undefined) return faultAnswer('NOT_FOUND', 'No route has this id.')
      // Every target of an upstream is the same service.
      const target = pools.get(route).anyTarget()
      if (target === undefined) return faultAnswer('UNAVAILABLE', UNREACHABLE)
      const key = JSON.stringify([target.pool.name, target.origin, target.basePath])
      const known = kept.get(key)
      if (known !== undefined) return await known
      const answer = answerFrom(target)
      kept.set(key, answer)
      return await answer
    },
  }
}

async function answerFrom(target: UpstreamTarget): Promise<AdminAnswer> {
  const reading = await readServiceDocument(target)
  if (reading.ok) return jsonAnswer<AdminBody<'ServiceDocument'>>({ document: reading.document })
  switch (reading.problem) {
    case 'absent':
      return faultAnswer(
        'NOT_FOUND',
        `The service publishes no OpenAPI document: it answers ${DOCUMENT_PATH} with ${reading.status}.`,
      )
    case 'invalid':
      return faultAnswer('INVALID', `${DOCUMENT_PATH} of the service is not an OpenAPI 3 document in JSON.`)
    case 'too_large':
      return faultAnswer(
        'TOO_LARGE',
        `The OpenAPI document of the service is larger than ${MAX_DOCUMENT_BYTES} bytes.`,
      )
    case 'timeout':
      return faultAnswer(
        'UNAVAILABLE',
        `The service did not send its OpenAPI document within ${DOCUMENT_TIMEOUT_MS / 1000} s.`,
      )
    case 'unreachable':
      return faultAnswer('UNAVAILABLE', UNREACHABLE)
  }
}
