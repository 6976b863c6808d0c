import { parseOwnJson } from '@agentic-rest/profile'
import { adminBodies } from '@agentic-rest/profile/admin'
import type { Route } from '../api/bodies.ts'
import { fieldsOf, isTrue, textOf } from '../api/read-json.ts'

/** The `routeId` of a request to any method and path. */
export const ANY_ROUTE = '*'

/** The content of the request form. */
export interface Draft {
  readonly routeId: string
  /** With `ANY_ROUTE`. */
  readonly method: string
  /** With `ANY_ROUTE`: a path without parameters. */
  readonly path: string
  /** The `sub` of the sender, a person of development. */
  readonly sub: string
  readonly tenant: string
  readonly params: ReadonlyMap<string, string>
  readonly query: string
  /** Header inputs that the service describes. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** The body is edited as text although its fields are known. */
  readonly isRaw: boolean
  readonly idempotencyKey: string
  readonly correlationId: string
  readonly isAsync: boolean
  readonly isStream: boolean
}

/** The empty form. */
export const emptyDraft: Draft = {
  routeId: '',
  method: 'GET',
  path: '',
  sub: '',
  tenant: '',
  params: new Map(),
  query: '',
  headers: new Map(),
  body: '{}',
  isRaw: false,
  idempotencyKey: '',
  correlationId: '',
  isAsync: false,
  isStream: true,
}

/** The draft as text, for a reload. It contains no token. */
export function writeDraft(draft: Draft): string {
  const { params, headers } = draft
  return JSON.stringify({
    ...draft,
    params: Object.fromEntries(params),
    headers: Object.fromEntries(headers),
  })
}

/** Reads a stored draft, or creates an empty one. */
export function parseDraft(text: string): Draft {
  if (text === '') return emptyDraft
  try {
    const fields = fieldsOf(parseOwnJson(text))
    return {
      routeId: textOf(fields, 'routeId'),
      method: textOf(fields, 'method', emptyDraft.method),
      path: textOf(fields, 'path'),
      sub: textOf(fields, 'sub'),
      tenant: textOf(fields, 'tenant'),
      params: textsByName(fields.get('params')),
      query: textOf(fields, 'query'),
      headers: textsByName(fields.get('headers')),
      body: textOf(fields, 'body', emptyDraft.body),
      isRaw: isTrue(fields, 'isRaw'),
      idempotencyKey: textOf(fields, 'idempotencyKey'),
      correlationId: textOf(fields, 'correlationId'),
      isAsync: isTrue(fields, 'isAsync'),
      isStream: fields.get('isStream') !== false,
    }
  } catch {
    return emptyDraft
  }
}

function textsByName(value: unknown): ReadonlyMap<string, string> {
  const fields = fieldsOf(value)
  return new Map([...fields.keys()].map((name) => [name, textOf(fields, name)]))
}

/** Whether a request of this method has a body. */
export function hasBody({ method }: Pick<Route, 'method'>): boolean {
  return !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method.toUpperCase())
}

/** Whether the form asks for a stream. */
export function isStreamed(route: Pick<Route, 'mode'>, draft: Pick<Draft, 'isStream'>): boolean {
  return route.mode === 'sse' && draft.isStream
}

/** Whether one of the folded options is set. */
export function hasOptions(route: Pick<Route, 'method'>, draft: Draft): boolean {
  const texts = [draft.idempotencyKey, draft.correlationId, hasBody(route) ? draft.query : '']
  return draft.isAsync || texts.some((text) => text !== '')
}

/** The draft for another route. It keeps the sender, parameters of the same name and the kind of editor. */
export function forRoute(draft: Draft, routeId: string): Draft {
  if (draft.routeId === routeId) return draft
  const { sub, tenant, params, isRaw } = draft
  return { ...emptyDraft, routeId, sub, tenant, params, isRaw }
}

/** A route to any method and path, for requests that no route may match. */
export function anyRoute({ method, path }: Pick<Draft, 'method' | 'path'>): Route {
  return adminBodies.Route.read({ id: ANY_ROUTE, method, path, mode: 'json' })
}
