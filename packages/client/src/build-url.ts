import { fillTemplate, templateParameters } from '@agentic-rest/profile'
import type { ClientRequest } from './client-request.ts'

/** Checks a base URL. All requests go below it. */
export function readBaseUrl(baseUrl: string | URL): URL {
  if (!URL.canParse(String(baseUrl))) throw new TypeError('baseUrl has to be an absolute URL')
  const base = new URL(baseUrl)
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl has to be an http or https URL')
  if (base.username || base.password || base.search || base.hash)
    throw new TypeError('baseUrl must not have credentials, a query or a fragment')
  return base
}

/** The address of a request: the filled template and the query, below the base URL. */
export function buildUrl(base: URL, { path, params = {}, query = {} }: ClientRequest): URL {
  const url = below(base, fillPath(path, params))
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) url.searchParams.append(name, toText(item))
    }
  }
  return url
}

/**
 * The absolute address for a `statusUrl` or `Location`. Returns nothing for another origin, because the token must not go
 * there. A path is below the base URL, with or without the path of the base.
 */
export function resolveReference(base: URL, reference: string): URL | undefined {
  const isPath = /^\/(?![/\\])/.test(reference)
  const prefix = prefixOf(base)
  if (isPath && !reference.startsWith(`${prefix}/`)) return new URL(`${base.origin}${prefix}${reference}`)
  const root = `${base.origin}${prefix}/`
  if (!URL.canParse(reference, root)) return undefined
  const url = new URL(reference, root)
  return url.origin === base.origin && !url.username && !url.password ? url : undefined
}

function fillPath(path: string, params: NonNullable<ClientRequest['params']>): string {
  if (!path.startsWith('/') || /[?#\\]/.test(path))
    throw new TypeError(`path has to start with "/" and to have no query or fragment: ${path}`)
  const names = templateParameters(path)
  const extra = Object.keys(params).find((name) => !names.includes(name))
  if (extra !== undefined) throw new TypeError(`path has no parameter {${extra}}: ${path}`)
  const filled = fillTemplate(path, (name) => textOfParameter(name, params))
  // URL parsers remove dot segments, also encoded ones, and the request would go to another resource.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(filled)) throw new TypeError(`path has a dot segment: ${filled}`)
  return filled
}

function textOfParameter(name: string, params: NonNullable<ClientRequest['params']>): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined
  const text = value === undefined ? '' : toText(value)
  if (text === '') throw new TypeError(`path parameter {${name}} is missing`)
  if (!text.isWellFormed()) throw new TypeError(`path parameter {${name}} is not well-formed text`)
  return text
}

// Concatenated, not resolved: a path with two leading slashes would name another host.
function below(base: URL, path: string): URL {
  return new URL(`${base.origin}${prefixOf(base)}${path}`)
}

function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

/** A value as it stands in a path, a query or a header: text as it is, all else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
