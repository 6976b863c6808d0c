/** The headers that speak of one connection and pass no proxy, in either direction (RFC 9110, section 7.6.1). */
export const hopByHopNames = [
  'Connection',
  'Keep-Alive',
  'Proxy-Connection',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
] as const
