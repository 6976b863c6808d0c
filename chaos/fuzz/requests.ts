import type { Seeded } from '../seeded.ts'
import {
  bodies,
  framings,
  headerLines,
  headerNames,
  headerValues,
  pieces,
  targets,
  versions,
} from './words.ts'

/** The tokens of the requests. */
export interface Tokens {
  readonly good: readonly string[]
  readonly bad: readonly string[]
}

/** Creates one request, valid or not, as latin1 text. */
export function makeRequest(random: Seeded, tokens: Tokens): string {
  const dice = random.number()
  if (dice < 0.4) return goodRequest(random, tokens)
  if (dice < 0.84) return oddRequest(random, tokens)
  if (dice < 0.89) return framedRequest(random, tokens)
  return corrupt(random.chance(0.7) ? goodRequest(random, tokens) : oddRequest(random, tokens), random)
}

/** A request that ends its connection. Its answer proves that everything before it was read correctly. */
export function lastRequest(random: Seeded, tokens: Tokens): string {
  return get('/items/last', `Connection: close\r\n`, random.pick(tokens.good))
}

const host = 'Host: gateway.example\r\n'

function bearer(token: string): string {
  return `Authorization: Bearer ${token}\r\n`
}

function get(target: string, lines: string, token: string): string {
  return `GET ${target} HTTP/1.1\r\n${host}${bearer(token)}${lines}\r\n`
}

function post(target: string, lines: string, body: string): string {
  return `POST ${target} HTTP/1.1\r\n${host}${lines}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** Text as chunks of random sizes. */
function chunked(body: string, random: Seeded): string {
  let text = ''
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + random.between(1, Math.max(1, body.length)))
    text += `${chunk.length.toString(16)}${random.chance(0.1) ? ';x=y' : ''}\r\n${chunk}\r\n`
    at += chunk.length
  }
  return `${text}0\r\n${random.chance(0.1) ? 'X-Late: 1\r\n' : ''}\r\n`
}

const json = 'Content-Type: application/json\r\n'

const goodForms: readonly ((random: Seeded, line: string) => string)[] = [
  (random, line) => `GET /items/${random.below(1000)}?a=${random.below(9)} HTTP/1.1\r\n${host}${line}\r\n`,
  (_, line) => `GET /items/chunked HTTP/1.1\r\n${host}${line}Accept: application/json\r\n\r\n`,
  (random, line) => `HEAD /items/${random.below(9)} HTTP/1.1\r\n${host}${line}\r\n`,
  (random, line) => `DELETE /items/${random.below(9)} HTTP/1.1\r\n${host}${line}\r\n`,
  (random, line) => post('/items', `${line}${json}`, random.pick(bodies)),
  (random, line) => post('/items', `${line}${json}Idempotency-Key: k${random.below(99)}\r\n`, '{"a":1}'),
  (random, line) =>
    `POST /items HTTP/1.1\r\n${host}${line}Transfer-Encoding: chunked\r\n\r\n${chunked('{"goal":"ctr"}', random)}`,
  (_, line) => post('/typed', `${line}${json}`, '{}'),
  (_, line) => post('/early', line, 'x'.repeat(3000)),
  (_, line) => post('/items', `${line}${json}Expect: 100-continue\r\n`, '{"b":"c"}'),
  (_, line) => post('/events', `${line}Accept: text/event-stream\r\n`, '{}'),
  (_, line) => `GET /broken HTTP/1.1\r\n${host}${line}\r\n`,
  (_, line) => `GET http://gateway.example/items/7 HTTP/1.1\r\n${host}${line}\r\n`,
  () =>
    `OPTIONS /items HTTP/1.1\r\n${host}Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  () => `GET /healthz HTTP/1.1\r\n${host}\r\n`,
]

function goodRequest(random: Seeded, { good }: Tokens): string {
  const ids = random.chance(0.3) ? `X-Correlation-ID: c${random.below(1e6)}\r\nX-Request-ID: r\r\n` : ''
  return random.pick(goodForms)(random, `${bearer(random.pick(good))}${ids}`)
}

/** A request with clear framing and an odd target, header, token or body. */
function oddRequest(random: Seeded, { good, bad }: Tokens): string {
  const method = random.chance(0.8)
    ? random.pick(['GET', 'POST', 'DELETE', 'HEAD'])
    : random.pick([
        'PUT',
        'PATCH',
        'TRACE',
        'OPTIONS',
        'CONNECT',
        'PROPFIND',
        'M-SEARCH',
        'QUERY',
        'get',
        'FOO',
      ])
  const target = random.chance(0.5) ? random.pick(['/items/1', '/items']) : random.pick(targets)
  const version = random.chance(0.95) ? 'HTTP/1.1' : random.pick(versions)
  const token = random.chance(0.6) ? random.pick(good) : random.pick(bad)
  const authorization = random.chance(0.95) ? bearer(token) : ''
  let lines = random.chance(0.95) ? host : random.pick(['', 'Host: \r\n', 'Host: a b\r\n', `${host}${host}`])
  for (let count = random.below(5); count > 0; count -= 1) lines += oddLine(random)
  if (random.chance(0.01)) lines += `X-Long: ${'a'.repeat(random.between(8000, 20_000))}\r\n`
  if (random.chance(0.01)) lines += 'X-Many: 1\r\n'.repeat(random.between(80, 130))
  const body = method === 'POST' || random.chance(0.05) ? oddBody(random) : undefined
  const framing = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
  return `${method} ${target} ${version}\r\n${lines}${authorization}${framing}\r\n${body ?? ''}`
}

function oddLine(random: Seeded): string {
  // The other kind usually ends its connection, so that later requests are never read.
  if (random.chance(0.92)) return random.pick(headerLines)
  const separator = random.chance(0.9) ? ': ' : random.pick([':', ' : ', ':\t', ':  ', '\t:'])
  return `${random.pick(headerNames)}${separator}${random.pick(headerValues)}\r\n`
}

function oddBody(random: Seeded): string {
  const body = random.pick(bodies)
  if (random.chance(0.7)) return body
  if (random.chance(0.1)) return 'b'.repeat(random.between(1, 100_000))
  return corrupt(body, random)
}

/** A request with ambiguous framing. */
function framedRequest(random: Seeded, { good }: Tokens): string {
  let lines = `${host}${bearer(random.pick(good))}`
  for (let count = random.between(1, 3); count > 0; count -= 1) lines += random.pick(framings)
  const tail = random.chance(0.5)
    ? random.pick(['', 'hello', '0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', '{"a":1}'])
    : corrupt(chunked(random.pick(bodies), random), random)
  const method = random.pick(['POST', 'POST', 'POST', 'GET', 'DELETE'])
  return `${method} /items${method === 'POST' ? '' : '/1'} HTTP/1.1\r\n${lines}\r\n${tail}${random.chance(0.1) ? random.pick(pieces) : ''}`
}

/** Changes a text in one to four places: flips a bit, replaces or inserts bytes, removes or repeats a part, cuts the end. */
export function corrupt(text: string, random: Seeded): string {
  let changed = text
  for (let count = random.between(1, random.chance(0.6) ? 1 : 4); count > 0; count -= 1)
    changed = random.pick(changes)(changed, random)
  return changed
}

const changes: readonly ((text: string, random: Seeded) => string)[] = [
  flipBit,
  flipBit,
  (text, random) => replace(text, random, () => String.fromCharCode(random.below(256))),
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + random.pick(pieces) + text.slice(at)
  },
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at) + text.slice(at + random.below(20))
  },
  (text, random) => {
    const at = random.below(text.length + 1)
    return text.slice(0, at + random.below(20)) + text.slice(at)
  },
  (text, random) =>
    random.chance(0.3) ? text.slice(0, random.below(text.length + 1)) : flipBit(text, random),
]

function flipBit(text: string, random: Seeded): string {
  return replace(text, random, (code) => String.fromCharCode(code ^ (1 << random.below(8))))
}

function replace(text: string, random: Seeded, make: (code: number) => string): string {
  if (text === '') return text
  const at = random.below(text.length)
  return text.slice(0, at) + make(text.charCodeAt(at)) + text.slice(at + 1)
}
