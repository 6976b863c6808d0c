import { headers as names, printable } from '@agentic-rest/profile'
import type { Bearer, SentRequest } from './exchange.ts'

/** Headers with secrets, and the variables that replace them. */
const secrets = new Map([
  [names.authorization.toLowerCase(), '$AUTHORIZATION'],
  [names.approvalToken.toLowerCase(), '$APPROVAL_TOKEN'],
  ['proxy-authorization', '$PROXY_AUTHORIZATION'],
  ['cookie', '$COOKIE'],
  ['x-api-key', '$API_KEY'],
])

const LONGEST_ARGUMENT = 4000

/** The request as a curl command for bash, with variables for tokens. */
export function curlCommand({ method, url, headers, body, bearer }: SentRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${headerArgument(name, value, bearer)}`)
  // HEAD has no body, and with one curl would wait for a body of the answer.
  const isHead = method === 'HEAD'
  // Not --data-binary: it reads a file for "@".
  const data = body === undefined || isHead ? [] : [`--data-raw ${argument(body, 'BODY')}`]
  // Without -g, curl treats brackets in an address as patterns.
  const start = `curl -g ${isHead ? '-I' : `-i -X ${method}`}`
  return [start, ...options, ...data, argument(url, 'URL')].join(' ')
}

function headerArgument(name: string, value: string, bearer: Bearer | undefined): string {
  if (bearer !== undefined && value === `Bearer ${bearer.text}`) return `"${name}: Bearer ${bearer.shown}"`
  const secret = secrets.get(name.toLowerCase())
  if (secret !== undefined) return `"${name}: ${value.startsWith('Bearer ') ? 'Bearer $TOKEN' : secret}"`
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

/** Replaces a text by a variable if it does not fit into a command line. */
function argument(text: string, variable: string): string {
  return text.length > LONGEST_ARGUMENT || text.includes('\0') ? `"$${variable}"` : quote(text)
}

function quote(text: string): string {
  if (printable(text) === text) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  return `$'${printable(text.replaceAll(/[\\']/g, String.raw`\$&`), escapeBytes)}'`
}

function escapeBytes(character: string): string {
  if (character === '\n') return String.raw`\n`
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'))
  return bytes.map((byte) => String.raw`\x${byte}`).join('')
}
