import { EVENT_STREAM_TYPE } from '@agentic-rest/profile'

/** A request as sent. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | undefined
}

/** The request as a curl command for a POSIX shell. */
export function toCurl({ method, url, headers, body }: WireRequest): string {
  const isStream = headers.some(([, value]) => value === EVENT_STREAM_TYPE)
  const parts = [
    `curl -i${isStream ? 'N' : ''} -X ${quote(method)} ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Not --data: it reads a file if the body starts with @.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** Quotes a word for a POSIX shell, if needed. */
export function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text) && !text.startsWith('-')) return text
  return `'${text.replaceAll("'", "'\\''")}'`
}
