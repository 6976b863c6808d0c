import { useCallback, useEffect, useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { Route } from '../api/bodies.ts'
import { messageOf } from '../shell/use-load.ts'
import { ANY_ROUTE } from './draft.ts'
import { findOperation, type ServiceOperation } from './service-operation.ts'

/** What the service says about a route. */
export type Described =
  | { readonly state: 'loading' }
  | { readonly state: 'known'; readonly operation: ServiceOperation }
  /** The reason, to show it; empty if nobody was asked. */
  | { readonly state: 'unknown'; readonly reason: string }

const NOT_IN_IT = 'The OpenAPI document of the service does not describe this route.'

/** Reads the operation of a route from the document of its service; once, and again on demand. */
export function useOperation(route: Route): readonly [Described, () => void] {
  const [described, setDescribed] = useState<Described & { readonly for?: string }>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const settle = (next: Described) => isCurrent && setDescribed({ ...next, for: route.id })
    if (route.id === ANY_ROUTE) settle({ state: 'unknown', reason: '' })
    else
      adminApi
        .openapi(route.id)
        .then((document) => settle(describe(document, route)))
        .catch((error: unknown) => settle({ state: 'unknown', reason: messageOf(error) }))
    return () => {
      isCurrent = false
    }
  }, [route.id, turn])
  const again = useCallback(() => setTurn((before) => before + 1), [])
  // The fields of the previous route are not those of this one.
  return [described.for === route.id ? described : { state: 'loading' }, again]
}

function describe(document: unknown, route: Route): Described {
  const operation = findOperation(document, route)
  return operation === undefined ? { state: 'unknown', reason: NOT_IN_IT } : { state: 'known', operation }
}
