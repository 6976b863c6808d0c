import { headers as names } from '@agentic-rest/profile'
import type { SentRequest } from './exchange.ts'

const authorization = names.authorization.toLowerCase()

/** The request as a command for a shell; the token is the reader's to fill in. */
export function curlCommand({ method, url, headers, body }: SentRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${headerArgument(name, value)}`)
  const data = body === undefined ? [] : [`--data-binary ${quote(body)}`]
  return ['curl -i', `-X ${method}`, ...options, ...data, quote(url)].join(' ')
}

function headerArgument(name: string, value: string): string {
  if (name.toLowerCase() === authorization && value.startsWith('Bearer '))
    return `"${names.authorization}: Bearer $TOKEN"`
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
