import { headers as names } from '@agentic-rest/profile'
import type { SentRequest } from './exchange.ts'

/** Headers that carry secrets, and what stands in their place. */
const secrets = new Map([
  [names.authorization.toLowerCase(), '$AUTHORIZATION'],
  [names.approvalToken.toLowerCase(), '$APPROVAL_TOKEN'],
  ['proxy-authorization', '$PROXY_AUTHORIZATION'],
  ['cookie', '$COOKIE'],
  ['x-api-key', '$API_KEY'],
])

/** The request as a command for a shell; the token is the reader's to fill in. */
export function curlCommand({ method, url, headers, body }: SentRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${headerArgument(name, value)}`)
  const data = body === undefined ? [] : [`--data-binary ${quote(body)}`]
  return ['curl -i', `-X ${method}`, ...options, ...data, quote(url)].join(' ')
}

function headerArgument(name: string, value: string): string {
  const secret = secrets.get(name.toLowerCase())
  if (secret !== undefined) return `"${name}: ${value.startsWith('Bearer ') ? 'Bearer $TOKEN' : secret}"`
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
