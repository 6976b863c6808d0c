import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import type { ChaosContext } from '../chaos-run.ts'
import type { Identities } from './identities.ts'
import type { MarkedUpstream } from './marked-upstream.ts'
import type { Tally } from './tally.ts'

/** The options of the fuzzed gateway. */
export interface FuzzGatewayOptions {
  readonly context: Pick<ChaosContext, 'folder'>
  readonly identities: Identities
  readonly upstream: Pick<MarkedUpstream, 'url'>
  readonly tally: Tally
}

/** Starts a gateway with all plugins; its audit records and log are checked. */
export function fuzzGateway({
  context,
  identities,
  upstream,
  tally,
}: FuzzGatewayOptions): Promise<GatewayProcess> {
  const { issuer, jwksFile } = identities.issuer
  // Without a deadline, stuck requests stay stuck and are noticed. Deadlines are longer than a slow body may take.
  const rest = { target: upstream.url }
  const timed = { ...rest, executionTimeoutSeconds: 120 }
  return startGatewayProcess({
    folder: context.folder,
    config: {
      gateway: {
        cors: { origins: ['https://app.example'] },
        limits: { max_body_bytes: 65_536 },
        llm: { max_sse_connections_per_tenant: 1000 },
      },
      plugins: {
        'token-validator': {
          issuers: [{ issuer, jwks_file: jwksFile, audience: ['agentic'], algorithms: ['RS256'] }],
        },
        'tenant-injector': { trust_header: 'everyone' },
        'prompt-sanitize': {
          rules: [
            { name: 'email', builtin: 'email' },
            { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
          ],
        },
        'otel-audit': { include_rejected: true },
      },
      routes: [
        { id: 'read', method: 'GET', path: '/items/{id}', ...rest },
        { id: 'remove', method: 'DELETE', path: '/items/{id}', ...rest },
        { id: 'write', method: 'POST', path: '/items', ...rest },
        { id: 'ask', method: 'POST', path: '/typed', ...timed, conformance: 'enforce' },
        { id: 'early', method: 'POST', path: '/early', ...rest },
        { id: 'broken', method: 'GET', path: '/broken', ...timed },
        { id: 'events', method: 'POST', path: '/events', ...timed, mode: 'sse' },
      ],
    },
    onLine: (line) => judgeRecord(line, tally),
    onLogLine: (line) => judgeLog(line, tally),
  })
}

/** A record is one line of JSON, for any input of a client. */
function judgeRecord(line: string, tally: Tally): void {
  try {
    const { request_id, event_type } = JSON.parse(line)
    if (typeof request_id !== 'string' || typeof event_type !== 'string') throw new Error('no record')
  } catch {
    tally.blame('no record', line)
  }
}

/** No input of a client is an error of the gateway. */
function judgeLog(line: string, tally: Tally): void {
  if (/"level":"(error|fatal)"/.test(line) || !line.startsWith('{')) tally.blame('error in the log', line)
}
