import { hash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Browsers that have shown a token. The token stays here; a browser gets a number that says nothing. */
export interface Sessions {
  /** Remembers a token and gives the text of the `Set-Cookie` header; over https the cookie stays there. */
  open(token: string, isHttps: boolean): string
  /** The token of the session that a `Cookie` header names. */
  tokenOf(cookies: string | undefined): string | undefined
  /** Forgets the session that a `Cookie` header names and gives the `Set-Cookie` text that takes the cookie away. */
  close(cookies: string | undefined): string
}

const MAX_SESSIONS = 1_000
const SESSION_SECONDS = 8 * 60 * 60

/** Makes the sessions of one listener. Cookies know no ports, so the port is part of the name. */
export function createSessions(port: () => number): Sessions {
  const tokens = new LRUCache<string, string>({ max: MAX_SESSIONS, ttl: SESSION_SECONDS * 1000 })
  const name = () => `agentic-admin-${port()}`
  const cookie = (id: string, seconds: number) =>
    `${name()}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`
  return {
    open(token, isHttps) {
      const id = randomBytes(32).toString('base64url')
      tokens.set(keyOf(id), token)
      return `${cookie(id, SESSION_SECONDS)}${isHttps ? '; Secure' : ''}`
    },
    tokenOf(cookies = '') {
      const id = cookieValue(cookies, name())
      return id === undefined ? undefined : tokens.get(keyOf(id))
    },
    close(cookies = '') {
      const id = cookieValue(cookies, name())
      if (id !== undefined) tokens.delete(keyOf(id))
      return cookie('', 0)
    },
  }
}

/** By digest: how long a look-up takes then says nothing about the ids that exist. */
function keyOf(id: string): string {
  return hash('sha256', id, 'base64url')
}

function cookieValue(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
