import { describe, expect, test } from 'vitest'
import { promptSanitize } from '../../../src/plugins/prompt-sanitize/prompt-sanitize.ts'
import { makeBody, makeContext, makeExchange, makeHeaders } from '../make-exchange.ts'
import { createSanitizer, everyDetector, invalidAnswer } from './sanitizing.ts'

const secret = 'alice@example.com'
const json = `{"m":"${secret}"}`

describe('types', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json ; x="y;z"',
    'application/merge-patch+json',
    'application/vnd.example.v1+JSON',
  ])('%j is JSON', async (type) => {
    const { answer, forwarded } = await createSanitizer(everyDetector).treat(json, { type })
    expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: '{"m":"[REDACTED:email]"}' })
  })

  const others = [
    'application/octet-stream',
    'image/png',
    'multipart/form-data; boundary=x',
    'application/pdf',
    'application/zip',
    'audio/mpeg',
  ]

  test.each(others)('%j is refused unread', async (type) => {
    const sanitizer = createSanitizer(everyDetector)
    const { answer, read } = await sanitizer.treat(json, { type, headers: { 'Content-Encoding': 'gzip' } })
    expect(answer).toEqual(
      invalidAnswer(
        'Content-Type',
        'The type of the body must be one that can be inspected: application/json, application/x-ndjson, ' +
          'application/x-www-form-urlencoded, application/xml, application/yaml, text/* or no type.',
      ),
    )
    expect({ read, skipped: sanitizer.skipped }).toEqual({ read: false, skipped: [] })
  })

  test.each(others)('with `uninspected: pass`, %j passes unread and is counted', async (type) => {
    const sanitizer = createSanitizer(everyDetector, { maxBodyBytes: 4, uninspected: 'pass' })
    const { answer, forwarded, read, replaced } = await sanitizer.treat(json, {
      type,
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect({ answer, forwarded, read, replaced }).toEqual({
      answer: undefined,
      forwarded: json,
      read: false,
      replaced: 0,
    })
    expect(sanitizer.skipped).toEqual(['create-optimization'])
  })

  test.each([
    'application/xml',
    'application/atom+xml',
    'image/svg+xml',
    'application/yaml',
    'application/json-seq',
    'application/graphql',
    'application/vnd.example+yaml',
  ])('%j is text', async (type) => {
    const { answer, forwarded } = await createSanitizer(everyDetector).treat(`<m>${secret}</m>`, { type })
    expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: '<m>[REDACTED:email]</m>' })
  })

  test.each(['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'])(
    '%j is JSON line by line',
    async (type) => {
      const body = `{"card":4111111111111111}\r\n[1.0]\n\n{"m":"${secret}"}\n`
      const { answer, forwarded } = await createSanitizer(everyDetector).treat(body, { type })
      expect({ answer, forwarded }).toEqual({
        answer: undefined,
        forwarded: '{"card":"[REDACTED:credit_card]"}\r\n[1.0]\n\n{"m":"[REDACTED:email]"}\n',
      })
    },
  )
})

describe('what cannot be read is refused', () => {
  test.each(['gzip', 'br', 'deflate, identity', 'identity, gzip', 'GZIP', 'unknown'])(
    'a body with Content-Encoding %j',
    async (encoding) => {
      const { answer, read } = await createSanitizer(everyDetector).treat(json, {
        headers: { 'Content-Encoding': encoding },
      })
      expect(answer).toEqual(
        invalidAnswer('Content-Encoding', 'The body must not be encoded, because it is inspected.'),
      )
      expect(read).toBe(false)
    },
  )

  test.each(['', 'identity', 'Identity', 'identity, identity'])(
    'a body with Content-Encoding %j is read',
    async (encoding) => {
      const { answer, forwarded } = await createSanitizer(everyDetector).treat(json, {
        headers: { 'Content-Encoding': encoding },
      })
      expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: '{"m":"[REDACTED:email]"}' })
    },
  )

  test.each([
    'application/json; charset=utf-16',
    'application/json; charset="utf-7"',
    'text/plain; charset=iso-8859-1',
    'text/plain; charset=us-ascii',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json; charset=',
    'application/json; charset',
    'application/x-www-form-urlencoded; charset=windows-1252',
  ])('a body of type %j', async (type) => {
    const { answer, read } = await createSanitizer(everyDetector).treat(json, { type })
    expect(answer).toEqual(
      invalidAnswer('Content-Type', 'The charset must be UTF-8, because the body is inspected.'),
    )
    expect(read).toBe(false)
  })

  test.each([
    ['application/json', Buffer.from([0x22, 0xff, 0x22])],
    ['text/plain', Buffer.from([0x61, 0xc3])],
    ['text/plain', Buffer.from([0xc0, 0xb4])],
    ['text/plain', Buffer.from([0xed, 0xa0, 0x80])],
    ['application/json', Buffer.from(json, 'utf16le')],
    ['application/x-www-form-urlencoded', Buffer.from([0x61, 0x3d, 0xe9])],
    ['', Buffer.from([0x80])],
  ])('a %j body of other bytes than UTF-8', async (type, body) => {
    const { answer, replaced } = await createSanitizer(everyDetector).treat(body, { type })
    const isUtf16 = body.length > 3
    expect(answer).toEqual(
      isUtf16
        ? invalidAnswer('body', 'The body must be valid JSON.')
        : invalidAnswer('body', 'The body must be UTF-8.'),
    )
    expect(replaced).toBe(0)
  })
})

describe('size', () => {
  const tooLarge = {
    status: 413,
    mediaType: 'application/vnd.agentic.error+json',
    body: {
      type: 'error',
      code: 'BODY_TOO_LARGE',
      message: 'The request body is larger than allowed.',
      trace: { correlationId: 'corr-1', requestId: 'req-1' },
    },
  }

  test.each([
    ['of known length', '"abcdefgh"'],
    ['in chunks', [Buffer.from('"abcd'), Buffer.from('efgh"')]],
  ])('a body %s above the limit is refused, not cut', async (_title, body) => {
    const { answer, replaced } = await createSanitizer(everyDetector, { maxBodyBytes: 9 }).treat(body)
    expect(answer).toEqual(tooLarge)
    expect(replaced).toBe(0)
  })

  test('a body of exactly the limit is treated', async () => {
    const body = '"a@bc.com"'
    const { forwarded } = await createSanitizer(everyDetector, { maxBodyBytes: 10 }).treat(body)
    expect(forwarded).toBe('"[REDACTED:email]"')
  })

  test('a chunked body is treated', async () => {
    const chunks = [Buffer.from('"alice@exam'), Buffer.from('ple.com"')]
    const { forwarded } = await createSanitizer(everyDetector).treat(chunks)
    expect(forwarded).toBe('"[REDACTED:email]"')
  })

  test('without a body there is nothing to do', async () => {
    const sanitizer = createSanitizer(everyDetector)
    expect(await sanitizer.treat('', { type: 'application/json' })).toMatchObject({
      answer: undefined,
      read: false,
    })
    expect(await sanitizer.treat('', { type: 'image/png' })).toMatchObject({ answer: undefined, read: false })
    expect(sanitizer.skipped).toEqual([])
  })

  test('chunks that turn out to be nothing are nothing', async () => {
    const { answer, replaced } = await createSanitizer(everyDetector).treat([Buffer.alloc(0)])
    expect({ answer, replaced }).toEqual({ answer: undefined, replaced: 0 })
  })
})

test('without rules nothing is read or judged, at once and without a promise', async () => {
  const context = makeContext()
  const plugin = promptSanitize({ max_body_bytes: 1, uninspected: 'refuse', rules: [] }, context)
  const headers = makeHeaders({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
  const body = { ...makeBody('not json'), read: () => Promise.reject(new Error('read')) }
  expect(plugin.request(makeExchange({ headers, body }))).toBeUndefined()
  await context.close()
})

test('a bodiless request is passed at once, without a promise', async () => {
  const context = makeContext()
  const rules = everyDetector.map((rule) => ({ action: 'redact' as const, ...rule }))
  const plugin = promptSanitize({ max_body_bytes: 1, uninspected: 'refuse', rules }, context)
  expect(plugin.request(makeExchange())).toBeUndefined()
  await context.close()
})

test('headers are none of its business', async () => {
  const { answer, forwarded } = await createSanitizer(everyDetector).treat('{}', {
    headers: { 'X-Mail': secret },
  })
  expect({ answer, forwarded }).toEqual({ answer: undefined, forwarded: '{}' })
})
