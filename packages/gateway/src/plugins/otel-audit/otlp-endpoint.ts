import { checkOtlpEndpoint } from '../../config/schema/address-checks.ts'
import { InitialisationError } from '../../errors.ts'

// The port that OTLP over gRPC is registered for.
const DEFAULT_PORT = 4317

/** The collector's address for the gRPC library, or an `InitialisationError` when there is none to connect to. */
export function otlpTarget(endpoint: string): string {
  if (endpoint === '') {
    throw new InitialisationError('otel-audit: exporter otlp needs an otlp_endpoint, and it is empty')
  }
  const fault = checkOtlpEndpoint(endpoint)
  if (fault !== undefined) throw new InitialisationError(`otel-audit: otlp_endpoint ${fault}`)
  const { protocol, host, hostname, port } = new URL(endpoint)
  return port !== '' || protocol === 'https:' ? `${protocol}//${host}` : `http://${hostname}:${DEFAULT_PORT}`
}
