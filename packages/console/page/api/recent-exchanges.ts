import { type AdminReading, adminBodies } from '@agentic-rest/profile/admin'
import { shownCall } from './mcp-call.ts'

type Reading = AdminReading<'Recent'>['exchanges'][number]

/** A request at the gateway, or several that differ only in their time. Times are milliseconds since 1970. */
export interface RequestGroup extends Omit<Reading['requests'][number], 'at' | 'lastAt' | 'endedAt'> {
  /** The arrival of the first one. */
  readonly startMs: number
  /** The arrival of the newest one. */
  readonly lastStartMs: number
  /** The end of the newest one. */
  readonly endMs: number
}

/** The end of background work, as its service recorded it. The id is of the request that was answered with 202. */
export interface EndedWork extends Omit<Reading['ended'][number], 'at'> {
  readonly atMs: number
}

/** A recent exchange of the gateway: all requests of one correlation id, oldest first. */
export interface RecentExchange extends Omit<Reading, 'requests' | 'ended'> {
  readonly requests: readonly RequestGroup[]
  readonly ended: readonly EndedWork[]
}

/** Reads the answer of `/api/recent`. */
export function readRecent(value: unknown): RecentExchange[] {
  return adminBodies.Recent.read(value).exchanges.map(({ requests, ended, ...exchange }) => ({
    ...exchange,
    requests: requests.map(({ at, lastAt, endedAt, ...request }) => ({
      ...request,
      mcp: shownCall(request.mcp),
      startMs: msOf(at),
      lastStartMs: msOf(lastAt),
      endMs: msOf(endedAt),
    })),
    ended: ended.map(({ at, ...work }) => ({ ...work, atMs: msOf(at) })),
  }))
}

function msOf(time: string): number {
  return Date.parse(time) || 0
}
