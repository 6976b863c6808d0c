import { readBaseUrl } from './build-url.ts'
import type { TextValue } from './client-request.ts'
import { type Clock, systemClock } from './clock.ts'
import { compileDemand, describeDemand, type MeetsDemand, type ProfileDemand } from './profile-demand.ts'

/**
 * A bearer token, or a function that is asked for one before each request. After a 401 it is asked once more,
 * with the token that was rejected; if it gives another one, the request is sent again.
 */
export type TokenSource = string | ((rejected?: string) => string | undefined | Promise<string | undefined>)

/** `fetch`, or something that does its work. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What a client is made of; only the base URL is needed. */
export interface ClientOptions {
  /** Where the gateway or the service is; its path stays in front of every path. */
  readonly baseUrl: string | URL
  readonly token?: TokenSource | undefined
  readonly tenantId?: string | undefined
  /** For clients that live within one exchange; otherwise each request, and each `run`, gets its own. */
  readonly correlationId?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, TextValue>> | undefined
  readonly fetch?: Fetch | undefined
  /** 60 seconds when absent; 0 for no limit. */
  readonly timeoutMs?: number | undefined
  /** The largest answer that is read; 10 MiB when absent. */
  readonly maxResponseBytes?: number | undefined
  /** The largest event of a stream, in characters; a million when absent. */
  readonly maxEventLength?: number | undefined
  /** The profile versions that are acceptable; any when absent. */
  readonly profile?: ProfileDemand | undefined
  /** Time and chance, for tests. */
  readonly clock?: Clock | undefined
}

/** The options of a client, judged once and complete. */
export interface Settings {
  readonly base: URL
  readonly token: TokenSource | undefined
  readonly tenantId: string | undefined
  readonly correlationId: string | undefined
  readonly headers: Readonly<Record<string, TextValue>>
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly maxEventLength: number
  readonly meetsDemand: MeetsDemand
  /** The demand in words, for messages. */
  readonly demand: string
  readonly clock: Clock
}

/** Reads the options; what is wrong with them is a `TypeError`. */
export function readSettings(options: ClientOptions): Settings {
  return {
    base: readBaseUrl(options.baseUrl),
    token: options.token,
    tenantId: options.tenantId,
    correlationId: options.correlationId,
    headers: options.headers ?? {},
    // Looked up when it is needed, so that a page that replaces it later is served by its own.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxResponseBytes: options.maxResponseBytes ?? 10 * 1024 * 1024,
    maxEventLength: options.maxEventLength ?? 1_000_000,
    meetsDemand: compileDemand(options.profile),
    demand: describeDemand(options.profile),
    clock: options.clock ?? systemClock,
  }
}
