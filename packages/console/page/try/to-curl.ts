/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | undefined
}

const EVENT_STREAM = 'text/event-stream'

/** A command for a POSIX shell that sends the same request. */
export function toCurl({ method, url, headers, body }: WireRequest): string {
  const isStream = headers.some(([, value]) => value === EVENT_STREAM)
  const parts = [
    `curl -i${isStream ? 'N' : ''} -X ${quote(method)} ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Not --data, which would read a file where the body begins with @.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** One word for a POSIX shell, whatever is in it; plain words stay readable. */
export function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text) && !text.startsWith('-')) return text
  return `'${text.replaceAll("'", "'\\''")}'`
}
