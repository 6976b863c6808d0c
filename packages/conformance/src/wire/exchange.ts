import type { Trace } from '@agentic-rest/profile'
import { headerKeys, mediaTypeEssence, parseJson } from '@agentic-rest/profile'

/** A bearer token, and its placeholder in printed commands. */
export interface Bearer {
  readonly text: string
  readonly shown: string
}

/** A sent request with its ids. */
export interface SentRequest {
  readonly method: string
  readonly url: string
  /** In the order and spelling of the request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** The token of its Authorization header, unless the scenario sets that header itself. */
  readonly bearer?: Bearer | undefined
  readonly trace: Partial<Trace>
}

/** A piece of a body with its arrival time since the request. */
export interface Arrival {
  readonly atMs: number
  readonly text: string
}

/** The answer to a request. */
export interface Answer {
  readonly status: number
  /** By lower-case name; repeated headers are joined (RFC 9110 5.3). */
  readonly headers: ReadonlyMap<string, string>
  readonly essence: string | undefined
  readonly body: string
  /** Absent if the body is not JSON or was not read to its end. */
  readonly json: { readonly value: unknown } | undefined
  /** Why the body was not read to its end. */
  readonly cut: string | undefined
  readonly arrivals: readonly Arrival[]
  readonly elapsedMs: number
}

/** A request with its answer, or with the reason why there is none. */
export interface Exchange {
  readonly request: SentRequest
  readonly answer?: Answer
  readonly failure?: string
  /** The request was not sent, so its failure says nothing about the service. */
  readonly unsent?: true
}

/** An answer as received from the wire. */
interface RawAnswer {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly body: string
  readonly cut: string | undefined
  readonly arrivals: readonly Arrival[]
  readonly elapsedMs: number
}

/** Converts a raw answer. */
export function toAnswer({ status, rawHeaders, body, cut, arrivals, elapsedMs }: RawAnswer): Answer {
  const headers = joinHeaders(rawHeaders)
  return {
    status,
    headers,
    essence: mediaTypeEssence(headers.get(headerKeys.contentType)),
    body,
    json: cut === undefined ? readJson(body) : undefined,
    cut,
    arrivals,
    elapsedMs,
  }
}

function joinHeaders(raw: readonly string[]): Map<string, string> {
  const joined = new Map<string, string>()
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase()
    const before = joined.get(name)
    joined.set(name, before === undefined ? String(raw[at + 1]) : `${before}, ${raw[at + 1]}`)
  }
  return joined
}

/** Parses JSON. A body nested too deeply counts as no JSON, because recursive code would overflow the stack. */
function readJson(text: string): { value: unknown } | undefined {
  const { value, fault } = parseJson(text)
  return fault ? undefined : { value }
}
