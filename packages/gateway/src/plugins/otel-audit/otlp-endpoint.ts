import { InitialisationError } from '../../plugin.ts'

// The port that OTLP over gRPC is registered for.
const DEFAULT_PORT = 4317

/** The collector's address for the gRPC library, or an `InitialisationError` when there is none to connect to. */
export function otlpTarget(endpoint: string): string {
  if (endpoint === '') {
    throw new InitialisationError('otel-audit: exporter otlp needs an otlp_endpoint, and it is empty')
  }
  const { protocol, host, hostname, port } = parse(endpoint)
  if (port !== '' || protocol === 'https:') return `${protocol}//${host}`
  // A URL hides its scheme's own port, and gRPC would then take 443: better no start than the wrong receiver.
  if (/:0*80(?:\/|$)/.test(endpoint)) {
    throw new InitialisationError('otel-audit: otlp_endpoint cannot be port 80 of http, use another port')
  }
  return `http://${hostname}:${DEFAULT_PORT}`
}

function parse(endpoint: string): URL {
  const url = URL.parse(endpoint)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new InitialisationError('otel-audit: otlp_endpoint must be an absolute http or https URL')
}
