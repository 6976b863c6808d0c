import type { GatewaySetting } from './contenders/gateway-config.ts'
import type { LoadRequest } from './load/wrk.ts'
import type { Issuer } from './tokens.ts'
import { upstreamPaths } from './upstream.ts'

/** One kind of request for all contenders. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly plugins: GatewaySetting['plugins']
  readonly connections: number
  /** Answers outside 2xx are expected. */
  readonly expectsRefusal?: boolean
  readonly request: (issuer: Issuer) => LoadRequest
}

const json = { 'Content-Type': 'application/json' }
const PROMPT = 'Raise the click rate of the spring campaign and keep what we pay for a lead. '
const MEGABYTE = 1_000_000

/** All scenarios, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'passthrough',
    title: 'GET passthrough, token checked',
    plugins: 'token',
    connections: 32,
    request: (issuer) => ({ method: 'GET', path: upstreamPaths.item, headers: bearer(issuer) }),
  },
  {
    name: 'all-plugins',
    title: 'POST of JSON through all five plugins',
    plugins: 'all',
    connections: 32,
    request: (issuer) => ({
      method: 'POST',
      path: upstreamPaths.created,
      headers: { ...bearer(issuer), ...json },
      body: JSON.stringify({ goal: 'ctr', prompt: PROMPT.repeat(2) }),
    }),
  },
  {
    name: 'vendor-answer',
    title: 'Vendor-typed answer, trace and schema checked',
    plugins: 'token',
    connections: 32,
    expectsRefusal: true,
    request: (issuer) => ({
      method: 'POST',
      path: upstreamPaths.question,
      headers: { ...bearer(issuer), ...json, 'X-Correlation-ID': 'bench-1', 'X-Request-ID': 'bench-1' },
      body: '{}',
    }),
  },
  {
    name: 'large-bodies',
    title: '1 MB there and 1 MB back',
    plugins: 'token',
    connections: 8,
    request: (issuer) => ({
      method: 'POST',
      path: upstreamPaths.large,
      headers: { ...bearer(issuer), 'Content-Type': 'application/octet-stream' },
      body: 'x'.repeat(MEGABYTE),
    }),
  },
]

function bearer(issuer: Issuer): Record<string, string> {
  return { Authorization: `Bearer ${issuer.token()}` }
}
