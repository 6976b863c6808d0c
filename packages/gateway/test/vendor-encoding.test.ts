import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { cpuRatio } from '@agentic-rest/testing/cpu-ratio'
import { headerValues, ids, sendRequest } from '@agentic-rest/testing/send-request'
import { describe, expect, it } from 'vitest'
import { expectOwnHeaders, expectRefusal } from './harness/expect-refusal.ts'
import { startTypedPair } from './harness/typed-upstream.ts'

const VENDOR = 'application/vnd.agentic.error+json'
const text = (trace: unknown) => JSON.stringify({ type: 'error', code: 'X', message: 'm'.repeat(500), trace })

const codings: readonly [string, string, (text: string) => Buffer][] = [
  ['gzip', 'gzip', gzipSync],
  ['GZIP', 'GZIP', gzipSync],
  ['x-gzip', 'x-gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without its header', 'deflate', deflateRawSync],
  ['br', 'br', brotliCompressSync],
  ['zstd', 'zstd', zstdCompressSync],
  ['identity', 'identity', Buffer.from],
  ['no coding', '', Buffer.from],
]

describe.each(codings)('a typed body in %s', (_title, encoding, encode) => {
  const reply = (body: Buffer) => ({
    status: 500,
    type: VENDOR,
    headers: ['Content-Encoding', encoding, 'Content-Length', String(body.length)],
    body,
  })

  it('is checked and passes unchanged', async () => {
    const pair = await startTypedPair({ conformance: 'enforce' })
    const bytes = encode(text(ids))
    pair.next = reply(bytes)
    const answer = await sendRequest(`${pair.url}/r`)
    expect(answer).toMatchObject({ status: 500, complete: true })
    expect(answer.body.equals(bytes)).toBe(true)
    expect(headerValues(answer, 'content-encoding')).toEqual([encoding])
    expect(headerValues(answer, 'content-length')).toEqual([String(bytes.length)])
    expectOwnHeaders(answer)
  })

  it('is refused for its trace, and the refusal is not encoded', async () => {
    const pair = await startTypedPair({ conformance: 'off' })
    pair.next = reply(encode(text({ ...ids, requestId: 'other' })))
    const mismatch = await sendRequest(`${pair.url}/r`)
    expectRefusal(mismatch, 500, 'TRACE_MISMATCH')
    expect(headerValues(mismatch, 'content-encoding')).toEqual([])
    pair.next = reply(encode(text(undefined)))
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'TRACE_MISSING')
  })
})

describe('a typed body that cannot be decoded becomes 500 INVALID_AGENTIC_RESPONSE', () => {
  const gzip = gzipSync(text(ids))
  it.each<[string, readonly string[], Buffer]>([
    ['an unknown coding', ['Content-Encoding', 'compress'], Buffer.from(text(ids))],
    ['two codings', ['Content-Encoding', 'gzip, gzip'], gzipSync(gzip)],
    ['two codings on two lines', ['Content-Encoding', 'identity', 'Content-Encoding', 'gzip'], gzip],
    ['a coding that is not there', ['Content-Encoding', 'gzip'], Buffer.from(text(ids))],
    ['another coding than it says', ['Content-Encoding', 'br'], gzip],
    ['no coding where there is one', [], gzip],
    ['half of its bytes', ['Content-Encoding', 'gzip'], gzip.subarray(0, gzip.length / 2)],
    [
      'a wrong checksum',
      ['Content-Encoding', 'gzip'],
      Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)]),
    ],
    ['nothing', ['Content-Encoding', 'gzip'], Buffer.alloc(0)],
  ])('%s', async (_title, headers, body) => {
    const pair = await startTypedPair()
    pair.next = { status: 500, type: VENDOR, headers, body }
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
  })

  it('a bomb: it is not unpacked beyond max_agentic_response_bytes', async () => {
    const pair = await startTypedPair()
    const large = Buffer.alloc(128 * 1_048_576, ' ')
    for (const [encoding, encode, decode] of [
      ['gzip', gzipSync, gunzipSync],
      ['zstd', zstdCompressSync, zstdDecompressSync],
    ] as const) {
      const body = encode(large)
      pair.next = { status: 500, type: VENDOR, headers: ['Content-Encoding', encoding], body }
      const work = async () =>
        expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
      const before = process.memoryUsage().rss
      await work()
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
      // The whole bomb costs twenty times as much and more.
      const below = 0.3
      expect(await cpuRatio({ work, reference: () => decode(body), below })).toBeLessThan(below)
    }
  })

  it('one byte more than max_agentic_response_bytes once it is unpacked', async () => {
    const pair = await startTypedPair({}, { gateway: { limits: { max_agentic_response_bytes: 600 } } })
    const sized = (length: number) => text(ids) + ' '.repeat(length - text(ids).length)
    pair.next = {
      status: 500,
      type: VENDOR,
      headers: ['Content-Encoding', 'gzip'],
      body: gzipSync(sized(601)),
    }
    expectRefusal(await sendRequest(`${pair.url}/r`), 500, 'INVALID_AGENTIC_RESPONSE')
    pair.next = {
      status: 500,
      type: VENDOR,
      headers: ['Content-Encoding', 'gzip'],
      body: gzipSync(sized(600)),
    }
    expect((await sendRequest(`${pair.url}/r`)).body.equals(gzipSync(sized(600)))).toBe(true)
  })
})
