import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { ClientOptions, ClientRequest } from '@agentic-rest/client'
import { routeMethods } from '@agentic-rest/gateway'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { headers, parseJson } from '@agentic-rest/profile'
import { givenToken, NO_TOKEN } from '../given-token.ts'
import type { Host } from '../host.ts'

/** The option for the idempotency key has the name of its header. */
export const keyOption = headers.idempotencyKey.toLowerCase() as Lowercase<typeof headers.idempotencyKey>

/** The arguments of `agentic call`. */
export interface CallOptions {
  readonly method: string
  readonly path: string
  readonly 'base-url': string
  readonly token: string | undefined
  readonly tenant: string | undefined
  readonly data: string | undefined
  readonly header: readonly string[]
  readonly [keyOption]: string | undefined
  readonly async: boolean
  readonly timeout: string
}

/** A request, and the client settings to send it with. */
export interface Call {
  readonly client: ClientOptions
  readonly request: ClientRequest
}

/** An invalid argument. The message never repeats a token or the value of a header. */
export class CallError extends Error {
  override readonly name = 'CallError'
}

// RFC 9110 5.1 and 5.5: names and values of headers. The error of fetch would repeat the value, which may be a secret.
const HEADER =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?[ \t]*$/
// Streams are accepted. A user turns them off with an Accept header.
const ACCEPT = 'application/json, text/event-stream'

/** Builds the request from the arguments, or throws a `CallError`. */
export async function readCall(options: CallOptions, host: Pick<Host, 'env' | 'stdin'>): Promise<Call> {
  const { path, query } = readPath(options.path)
  const token = givenToken(options.token, host.env)
  if (token === false) throw new CallError(NO_TOKEN)
  return {
    client: {
      baseUrl: options['base-url'],
      token,
      tenantId: options.tenant,
      timeoutMs: readTimeoutMs(options.timeout),
    },
    request: {
      method: readMethod(options.method),
      path,
      query,
      headers: { Accept: ACCEPT, ...readHeaders(options.header) },
      body: await readData(options.data, host.stdin),
      idempotencyKey: options[keyOption],
      preferAsync: options.async,
    },
  }
}

function readMethod(word: string): string {
  const method = word.toUpperCase()
  if (routeMethods.some((known) => known === method)) return method
  throw new CallError(
    `METHOD is one of ${routeMethods.join(', ')}, not ${JSON.stringify(word)}${didYouMean(word, routeMethods)}`,
  )
}

/** Splits off the query: the client encodes it. */
function readPath(given: string): { path: string; query: Record<string, string[]> } {
  const mark = given.indexOf('?')
  if (mark === -1) return { path: given, query: {} }
  const fields = new URLSearchParams(given.slice(mark + 1))
  const query: Record<string, string[]> = Object.create(null)
  for (const name of fields.keys()) query[name] = fields.getAll(name)
  return { path: given.slice(0, mark), query }
}

function readTimeoutMs(seconds: string): number {
  const value = Number(seconds)
  if (/^\d+(\.\d+)?$/.test(seconds) && value <= 86_400) return value * 1000
  throw new CallError(`--timeout is a number of seconds up to 86400, not ${JSON.stringify(seconds)}`)
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name, value = ''] = HEADER.exec(line) ?? []
    if (name === undefined)
      throw new CallError('--header is a name and a value, for example "X-Region: north"')
    const key = name.toLowerCase() === 'accept' ? 'Accept' : name.toLowerCase()
    const before = fields.get(key)
    // RFC 9110 5.3: several lines of one name form one list.
    fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(fields)
}

async function readData(data: string | undefined, stdin: Host['stdin']): Promise<unknown> {
  if (data === undefined) return undefined
  const source = data === '-' ? await text(stdin) : data.startsWith('@') ? readFile(data.slice(1)) : data
  const { value, fault } = parseJson(source)
  if (fault) throw new CallError(`--data is not JSON: ${fault.message}`)
  return value
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new CallError(`--data names a file that cannot be read: ${file}`)
  }
}
