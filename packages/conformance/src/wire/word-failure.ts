const words: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed while the request was sent'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['HPE_HEADER_OVERFLOW', 'the headers are longer than 64 KiB'],
  ['UPGRADED', 'the connection was switched to another protocol'],
  ['CLOSED', 'the connection was closed without an answer'],
])

/** Says in fixed words why there is no answer; what a service sent is no part of them. */
export function wordFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the exchange failed'
  if (error.name === 'TimeoutError') return `there was no complete answer within ${timeoutMs / 1000} s`
  const code = 'code' in error ? error.code : error.message
  const known = words.get(code) ?? words.get(error.message)
  if (known !== undefined) return known
  if (typeof code !== 'string') return 'the exchange failed'
  if (code.startsWith('HPE_')) return 'the answer is not HTTP'
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? `the exchange failed with ${code}` : 'the exchange failed'
}
