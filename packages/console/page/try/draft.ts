import { fieldsOf, isTrue, textOf } from '../api/read-json.ts'
import type { Route } from '../api/route-list.ts'

/** The content of the request form. */
export interface Draft {
  readonly routeId: string
  /** The `sub` of the sender, a person of development. */
  readonly sub: string
  readonly tenant: string
  readonly params: ReadonlyMap<string, string>
  readonly query: string
  readonly body: string
  readonly idempotencyKey: string
  readonly correlationId: string
  readonly isAsync: boolean
  readonly isStream: boolean
}

/** The empty form. */
export const emptyDraft: Draft = {
  routeId: '',
  sub: '',
  tenant: '',
  params: new Map(),
  query: '',
  body: '{}',
  idempotencyKey: '',
  correlationId: '',
  isAsync: false,
  isStream: true,
}

/** The draft as text, for a reload. It contains no token. */
export function writeDraft(draft: Draft): string {
  return JSON.stringify({ ...draft, params: Object.fromEntries(draft.params) })
}

/** Reads a stored draft, or creates an empty one. */
export function parseDraft(text: string): Draft {
  if (text === '') return emptyDraft
  try {
    const fields = fieldsOf(JSON.parse(text))
    const params = fieldsOf(fields.get('params'))
    return {
      routeId: textOf(fields, 'routeId'),
      sub: textOf(fields, 'sub'),
      tenant: textOf(fields, 'tenant'),
      params: new Map([...params.keys()].map((name) => [name, textOf(params, name)])),
      query: textOf(fields, 'query'),
      body: textOf(fields, 'body', emptyDraft.body),
      idempotencyKey: textOf(fields, 'idempotencyKey'),
      correlationId: textOf(fields, 'correlationId'),
      isAsync: isTrue(fields, 'isAsync'),
      isStream: fields.get('isStream') !== false,
    }
  } catch {
    return emptyDraft
  }
}

/** The parameter names of a path template. */
export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
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

/** The draft for another route. It keeps the sender and parameters of the same name. */
export function forRoute(draft: Draft, routeId: string): Draft {
  if (draft.routeId === routeId) return draft
  const { sub, tenant, params } = draft
  return { ...emptyDraft, routeId, sub, tenant, params }
}
