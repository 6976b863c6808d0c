import { MAX_EVENT_LENGTH } from '@agentic-rest/profile'
import { readBaseUrl } from './build-url.ts'
import type { TextValue } from './client-request.ts'
import { type Clock, systemClock } from './clock.ts'
import { compileDemand, describeDemand, type MeetsDemand, type ProfileDemand } from './profile-demand.ts'

/**
 * A bearer token, or a function that returns one before each request. After a 401 it is called again with the rejected
 * token; with a new token the request is sent again.
 */
export type TokenSource = string | ((rejected?: string) => string | undefined | Promise<string | undefined>)

/** `fetch` or a replacement. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The options of a client; only the base URL is required. */
export interface ClientOptions {
  /** The address of the gateway or service. Its path is the prefix of every path. */
  readonly baseUrl: string | URL
  readonly token?: TokenSource | undefined
  readonly tenantId?: string | undefined
  /** For clients within one exchange. By default each request and each `run` gets its own. */
  readonly correlationId?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, TextValue>> | undefined
  readonly fetch?: Fetch | undefined
  /** 60 seconds by default; 0 for no limit. */
  readonly timeoutMs?: number | undefined
  /** The size limit of an answer; 10 MiB by default. */
  readonly maxResponseBytes?: number | undefined
  /** The size limit of an event in characters; a million by default. */
  readonly maxEventLength?: number | undefined
  /** The accepted profile versions; any by default. */
  readonly profile?: ProfileDemand | undefined
  /** Time and random numbers, for tests. */
  readonly clock?: Clock | undefined
}

/** The checked options of a client, with all defaults. */
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
  /** The accepted versions as text, for messages. */
  readonly demand: string
  readonly clock: Clock
}

/** Checks the options; throws a `TypeError` for invalid ones. */
export function readSettings(options: ClientOptions): Settings {
  return {
    base: readBaseUrl(options.baseUrl),
    token: options.token,
    tenantId: options.tenantId,
    correlationId: options.correlationId,
    headers: options.headers ?? {},
    // Looked up at each use, so that a page may replace it later.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxResponseBytes: options.maxResponseBytes ?? 10 * 1024 * 1024,
    maxEventLength: options.maxEventLength ?? MAX_EVENT_LENGTH,
    meetsDemand: compileDemand(options.profile),
    demand: describeDemand(options.profile),
    clock: options.clock ?? systemClock,
  }
}
