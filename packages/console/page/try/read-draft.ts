import type { ClientRequest } from '@agentic-rest/client'
import { parseJson, templateParameters } from '@agentic-rest/profile'
import type { Route } from '../api/bodies.ts'
import { ANY_ROUTE, type Draft, hasBody, isStreamed } from './draft.ts'
import { entryFault, entryOf, isUnreadable } from './field-entry.ts'
import type { ServiceOperation } from './service-operation.ts'

/** A valid request, or the faults of the form by field. */
export type DraftReading =
  | { readonly ok: true; readonly request: ClientRequest }
  | { readonly ok: false; readonly faults: ReadonlyMap<string, string> }

/** Builds the request from the form. Of described fields only unreadable ones are faults: the service judges the others. */
export function readDraft(draft: Draft, route: Route, operation?: ServiceOperation): DraftReading {
  const faults = new Map<string, string>(draft.isRaw ? [] : unreadableFields(draft, operation))
  if (route.id === ANY_ROUTE) {
    const fault = pathFault(route.path)
    return fault === undefined
      ? readInputs(draft, route, faults)
      : { ok: false, faults: new Map([['path', fault]]) }
  }
  return readInputs(draft, route, faults)
}

function unreadableFields(draft: Draft, operation: ServiceOperation | undefined): [string, string][] {
  if (operation === undefined) return []
  const { document, fields } = operation
  return fields
    .filter((field) => isUnreadable(field, entryOf(draft, field)))
    .map((field) => [`field ${field.name}`, entryFault(document, field, entryOf(draft, field)) ?? ''])
}

function pathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'This has to begin with a slash.'
  if (/[?#]/.test(path)) return 'This may have no ? and no #. The query has its own field.'
  return /[{}]/.test(path) ? 'This may have no { and no }: write the values.' : undefined
}

function readInputs(draft: Draft, route: Route, faults: Map<string, string>): DraftReading {
  const names = templateParameters(route.path)
  for (const name of names) {
    if (!draft.params.get(name)) faults.set(`param ${name}`, 'Needed: it is part of the path.')
  }
  const body = hasBody(route) ? parseBody(draft.body) : { value: undefined }
  if ('fault' in body) faults.set('body', body.fault)
  if (faults.size > 0 || 'fault' in body) return { ok: false, faults }
  const request: ClientRequest = {
    method: route.method,
    path: route.path,
    params: Object.fromEntries(names.map((name) => [name, draft.params.get(name) ?? ''])),
    query: parseQuery(draft.query),
    headers: Object.fromEntries([...draft.headers].filter(([, value]) => value !== '')),
    body: body.value,
    tenantId: draft.tenant || undefined,
    correlationId: draft.correlationId || undefined,
    idempotencyKey: draft.idempotencyKey || undefined,
    preferAsync: (draft.isAsync && !isStreamed(route, draft)) || undefined,
  }
  return { ok: true, request: withoutUndefined(request) }
}

function parseBody(text: string): { readonly value: unknown } | { readonly fault: string } {
  if (text.trim() === '') return { value: undefined }
  const { value, fault } = parseJson(text)
  return fault ? { fault: `This is not JSON: ${fault.message}` } : { value }
}

/** `a=1&b=2&b=3` as lists by name. */
export function parseQuery(text: string): Readonly<Record<string, readonly string[]>> {
  const search = new URLSearchParams(text.trim().replace(/^\?/, ''))
  return Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name)]))
}

function withoutUndefined(request: ClientRequest): ClientRequest {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined && !isEmptyObject(value))
  const { method, path, body } = request
  return { ...Object.fromEntries(entries), method, path, ...(body !== undefined && { body }) }
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
