import { headers as names } from '@agentic-rest/profile'
import type { Bearer, SentRequest } from './exchange.ts'

/** Headers that carry secrets, and what stands in their place. */
const secrets = new Map([
  [names.authorization.toLowerCase(), '$AUTHORIZATION'],
  [names.approvalToken.toLowerCase(), '$APPROVAL_TOKEN'],
  ['proxy-authorization', '$PROXY_AUTHORIZATION'],
  ['cookie', '$COOKIE'],
  ['x-api-key', '$API_KEY'],
])

const LONGEST_ARGUMENT = 4000

/** The request as a command for a shell such as bash; tokens are the reader's to fill in. */
export function curlCommand({ method, url, headers, body, bearer }: SentRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${headerArgument(name, value, bearer)}`)
  // A body of HEAD means nothing, and with one curl would wait for the answer's.
  const isHead = method === 'HEAD'
  // Not --data-binary, for which "@" names a file.
  const data = body === undefined || isHead ? [] : [`--data-raw ${argument(body, 'BODY')}`]
  // Without -g, curl would read brackets in an address as patterns.
  const start = `curl -g ${isHead ? '-I' : `-i -X ${method}`}`
  return [start, ...options, ...data, argument(url, 'URL')].join(' ')
}

function headerArgument(name: string, value: string, bearer: Bearer | undefined): string {
  if (bearer !== undefined && value === `Bearer ${bearer.text}`) return `"${name}: Bearer ${bearer.shown}"`
  const secret = secrets.get(name.toLowerCase())
  if (secret !== undefined) return `"${name}: ${value.startsWith('Bearer ') ? 'Bearer $TOKEN' : secret}"`
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

/** What no command line should hold is left for the reader to fill in: half of it would be worse than none. */
function argument(text: string, variable: string): string {
  return text.length > LONGEST_ARGUMENT || text.includes('\0') ? `"$${variable}"` : quote(text)
}

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

function quote(text: string): string {
  if (text.search(unprintable) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  return `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(unprintable, escapeBytes)}'`
}

function escapeBytes(character: string): string {
  if (character === '\n') return String.raw`\n`
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'))
  return bytes.map((byte) => String.raw`\x${byte}`).join('')
}
