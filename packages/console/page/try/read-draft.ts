import type { ClientRequest } from '@agentic-rest/client'
import type { Route } from '../api/route-list.ts'
import { type Draft, hasBody, isStreamed, paramNames } from './draft.ts'

/** A valid request, or the faults of the form by field. */
export type DraftReading =
  | { readonly ok: true; readonly request: ClientRequest }
  | { readonly ok: false; readonly faults: ReadonlyMap<string, string> }

/** Builds the request from the form. */
export function readDraft(draft: Draft, route: Route): DraftReading {
  const faults = new Map<string, string>()
  const names = paramNames(route.path)
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
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
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
