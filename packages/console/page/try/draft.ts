import { fieldsOf, isTrue, textOf } from '../api/read-json.ts'
import type { Route } from '../api/route-list.ts'

/** A request as it stands in the form. */
export interface Draft {
  readonly routeId: string
  /** Who sends it: the `sub` of one of the people of development. */
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

/** A form in which nothing is filled in. */
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

/** The draft as text, to be kept over a reload. It has no token in it. */
export function writeDraft(draft: Draft): string {
  return JSON.stringify({ ...draft, params: Object.fromEntries(draft.params) })
}

/** A draft that was kept, or an empty one. */
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

/** The names of the parameters in a path template. */
export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

/** Whether a request of this method has a body. */
export function hasBody({ method }: Pick<Route, 'method'>): boolean {
  return !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method.toUpperCase())
}

/** Whether the answer of a route is asked for as a stream. */
export function isStreamed(route: Pick<Route, 'mode'>, draft: Pick<Draft, 'isStream'>): boolean {
  return route.mode === 'sse' && draft.isStream
}

/** Whether something is set that stands among the options, which are folded away. */
export function hasOptions(route: Pick<Route, 'method'>, draft: Draft): boolean {
  const texts = [draft.idempotencyKey, draft.correlationId, hasBody(route) ? draft.query : '']
  return draft.isAsync || texts.some((text) => text !== '')
}

/** The draft for another route. Who sends it stays, and so do parameters of the same name; all else was meant for the one before. */
export function forRoute(draft: Draft, routeId: string): Draft {
  if (draft.routeId === routeId) return draft
  const { sub, tenant, params } = draft
  return { ...emptyDraft, routeId, sub, tenant, params }
}
