import { headers, parseJson } from '@agentic-rest/profile'
import { adminBodies } from '@agentic-rest/profile/admin'
import { terminalLine } from './terminal-text.ts'

/** The address of the admin listener of a gateway on this machine. */
export const DEFAULT_ADMIN_URL = 'http://127.0.0.1:8090'

/** The address of an endpoint of an admin listener; nothing if the given address is not an http or https URL. */
export function adminUrl(path: string, base: string): URL | undefined {
  const url = URL.parse(path, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined
}

/** One request to an admin listener. */
interface AdminRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly token: string | undefined
  readonly timeoutMs: number
}

/** A JSON answer of an admin listener. */
export interface AdminAnswer {
  readonly status: number
  readonly body: unknown
}

/** Asks an admin listener; resolves with nothing if none answers there with JSON. */
export async function askAdmin({
  url,
  method,
  token,
  timeoutMs,
}: AdminRequest): Promise<AdminAnswer | undefined> {
  const authorization = token === undefined ? undefined : { [headers.authorization]: `Bearer ${token}` }
  try {
    const response = await fetch(url, {
      method,
      headers: { ...authorization },
      // A redirect would send the token to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { value, fault } = parseJson(await response.text(), { isMessage: true })
    return fault ? undefined : { status: response.status, body: value }
  } catch {
    return undefined
  }
}

/** The reason of a refusal, safe for a terminal. */
export function faultOf({ body }: AdminAnswer): string {
  return terminalLine(adminBodies.Fault.read(body).message)
}

/** A member of an answer as text that is safe for a terminal. */
export function fieldOf(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return textOf(value)
}

/** A value of an answer as text that is safe for a terminal. String() would throw for some objects. */
export function textOf(value: unknown): string {
  return terminalLine(typeof value === 'string' ? value : String(JSON.stringify(value)))
}
