import type { Log } from '../log.ts'

/** The listener whose pages a session is for. */
export type SessionListener = 'main' | 'admin'

/** What a provider gave with a sign-in, beside the access token. */
export interface Grant {
  readonly issuer: string
  readonly subject: string
  /** The session at the provider, where it names one. */
  readonly sid: string | undefined
  readonly idToken: string | undefined
  readonly refreshToken: string | undefined
  /** When the access token ends, in milliseconds. */
  readonly tokenEndsAt: number | undefined
}

/** A browser that has signed in. It is never more than the access token in it, which is judged with every request. */
export interface Session {
  readonly listener: SessionListener
  readonly token: string
  /** The time in milliseconds. */
  readonly endsAt: number
  /** Absent for a session with a token that was put in by hand. */
  readonly grant?: Grant | undefined
}

/** The sessions that a provider ends: all of a person, or those of one session at the provider. */
export interface Ended {
  readonly issuer: string
  readonly subject?: string | undefined
  readonly sid?: string | undefined
}

type Later<Value> = Value | Promise<Value>

/** Keeps sessions: in this process, in the supervisor, or in Redis. Methods reject while the store is out of reach. */
export interface SessionStore {
  find(id: string): Later<Session | undefined>
  add(id: string, session: Session): Later<void>
  /** Replaces a session that is still there: one that was ended does not come back. */
  replace(id: string, session: Session): Later<void>
  /** Ends a session for all; resolves with it. */
  end(id: string): Later<Session | undefined>
  /** Ends all sessions of a person or of one session at the provider; resolves with their number. */
  endAll(ended: Ended): Later<number>
  /** Takes a name for a time; false while somebody has it. */
  claim(name: string, ms: number): Later<boolean>
  /** The number of sessions, as far as this process knows. */
  count(): Readonly<Record<SessionListener, number>>
  /** False while the store is out of reach. */
  isReachable(): boolean
  close(): Promise<void>
}

/** Why a gateway is less than ready while its sessions are out of reach. */
export const SESSIONS_AWAY = 'sessions: the store is out of reach, nobody is signed in'

/** The most sessions in the memory of a gateway. */
export const MOST_IN_MEMORY = 10_000
const TELL_EVERY_MS = 60_000

/** Tells that sessions were dropped, at most once a minute: anybody with many tokens can cause it. */
export function createDropReport(log: Log): (most: number) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (most) => {
    const now = performance.now()
    if (now - toldAt < TELL_EVERY_MS) return
    toldAt = now
    log.warn('too many sessions: the oldest are ended', { most })
  }
}

interface MemoryOptions {
  readonly onDropped: (most: number) => void
  readonly most?: number | undefined
}

/** Sessions in the memory of this process. */
export class MemorySessions implements SessionStore {
  readonly #most: number
  readonly #onDropped: (most: number) => void
  /** The oldest first. */
  readonly #sessions = new Map<string, Session>()
  readonly #claims = new Map<string, number>()

  constructor({ onDropped, most = MOST_IN_MEMORY }: MemoryOptions) {
    this.#onDropped = onDropped
    this.#most = most
  }

  find(id: string): Session | undefined {
    const session = this.#sessions.get(id)
    return session !== undefined && session.endsAt > Date.now() ? session : undefined
  }

  add(id: string, session: Session): void {
    this.#sessions.set(id, session)
    for (const [oldest, { endsAt }] of this.#sessions) {
      const isOver = endsAt <= Date.now()
      if (!isOver && this.#sessions.size <= this.#most) return
      this.#sessions.delete(oldest)
      if (!isOver) this.#onDropped(this.#most)
    }
  }

  replace(id: string, session: Session): void {
    if (this.#sessions.has(id)) this.#sessions.set(id, session)
  }

  end(id: string): Session | undefined {
    const session = this.find(id)
    this.#sessions.delete(id)
    return session
  }

  endAll(ended: Ended): number {
    const ids = [...this.#sessions].filter(([, { grant }]) => grant !== undefined && isMeant(grant, ended))
    for (const [id] of ids) this.#sessions.delete(id)
    return ids.length
  }

  claim(name: string, ms: number): boolean {
    const now = performance.now()
    if ((this.#claims.get(name) ?? 0) > now) return false
    this.#claims.delete(name)
    this.#claims.set(name, now + ms)
    for (const [oldest, until] of this.#claims) {
      if (until > now && this.#claims.size <= this.#most) break
      this.#claims.delete(oldest)
    }
    return true
  }

  count(): Readonly<Record<SessionListener, number>> {
    const counts = { main: 0, admin: 0 }
    for (const { listener, endsAt } of this.#sessions.values()) if (endsAt > Date.now()) counts[listener] += 1
    return counts
  }

  isReachable(): boolean {
    return true
  }

  async close(): Promise<void> {
    this.#sessions.clear()
  }
}

/** A session at the provider is named by `sid`; without one all of the person are meant (OpenID back-channel logout, 2.4). */
function isMeant(grant: Grant, { issuer, subject, sid }: Ended): boolean {
  if (grant.issuer !== issuer) return false
  return sid === undefined ? grant.subject === subject : grant.sid === sid
}
