import { headers } from '@agentic-rest/profile'
import { givenToken, NO_TOKEN } from '../given-token.ts'

/** The endpoint of a gateway for MCP clients, and the headers of every request to it. */
export interface Endpoint {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** The arguments that name an endpoint and its caller. */
export interface EndpointOptions {
  readonly baseUrl: string
  readonly token: string | undefined
  readonly tenant: string | undefined
}

/** An identifier that fits into a header. */
const TENANT = /^[\x21-\x7e]{1,256}$/

/** Reads the arguments; returns the fault as a text, which never repeats the token. */
export function readEndpoint(
  { baseUrl, token: given, tenant }: EndpointOptions,
  env: NodeJS.ProcessEnv,
): Endpoint | string {
  const token = givenToken(given, env)
  if (token === false) return NO_TOKEN
  if (tenant !== undefined && !TENANT.test(tenant)) return '--tenant is not a valid tenant'
  const url = endpointUrl(baseUrl)
  if (typeof url === 'string') return url
  return {
    url,
    headers: {
      ...(token !== undefined && { [headers.authorization]: `Bearer ${token}` }),
      ...(tenant !== undefined && { [headers.tenantId]: tenant }),
    },
  }
}

function endpointUrl(text: string): URL | string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'the address is not an http or https URL'
  // The address is shown in logs.
  if (url.username !== '' || url.password !== '') return 'the address must not have a user or a password'
  if (url.search !== '' || url.hash !== '') return 'the address must not have a query or a fragment'
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith('/mcp') ? path : `${path}/mcp`
  return url
}
