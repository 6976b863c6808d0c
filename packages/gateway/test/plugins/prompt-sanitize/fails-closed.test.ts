import { describe, expect, test } from 'vitest'
import { promptSanitize } from '../../../src/plugins/prompt-sanitize/prompt-sanitize.ts'
import { makeContext, makeExchange, makeHeaders } from '../make-exchange.ts'
import { createSanitizer, everyDetector, type TestRule } from './sanitizing.ts'

const failed = {
  status: 500,
  mediaType: 'application/vnd.agentic.error+json',
  body: {
    type: 'error',
    code: 'SANITIZE_FAILED',
    message: 'The gateway could not inspect the request body.',
    trace: { correlationId: 'corr-1', requestId: 'req-1' },
  },
}

describe('what it cannot treat it does not let pass', () => {
  test('a body that cannot be read, with the reason in the log and nothing of the body', async () => {
    const cause = new Error('secret alice@example.com')
    const sanitizer = createSanitizer(everyDetector, { body: { read: () => Promise.reject(cause) } })
    const { answer, replaced } = await sanitizer.treat('{}')
    expect(answer).toEqual(failed)
    expect(replaced).toBe(0)
    expect(sanitizer.lines).toEqual([
      {
        level: 'error',
        message: 'prompt-sanitize could not inspect a request',
        fields: { request_id: 'req-1', error: 'Error', at: expect.any(Array) },
      },
    ])
    expect(JSON.stringify(sanitizer.lines)).not.toContain('alice')
  })

  test('a thing that is thrown and no error', async () => {
    const sanitizer = createSanitizer(everyDetector, { body: { read: () => Promise.reject('x') } })
    expect((await sanitizer.treat('{}')).answer).toEqual(failed)
    expect(sanitizer.lines[0]?.fields).toEqual({ request_id: 'req-1', error: 'string' })
  })

  test.each<[string, readonly TestRule[], string, string]>([
    [
      'a pattern that searches to the end for every character',
      [{ name: 'p', regex: 'a.*z|a' }],
      JSON.stringify('a'.repeat(65_536)),
      'a pattern is too slow for the text',
    ],
    [
      'a replacement that makes a new find every time',
      [{ name: 'p', keywords: ['ab'], replacement: '' }],
      JSON.stringify(`${'a'.repeat(20)}${'b'.repeat(20)}`),
      'every redaction of a text makes a new match',
    ],
    [
      'keys that no number keeps apart',
      [
        { name: 'email', builtin: 'email' },
        { name: 'p', regex: '#[0-9]+' },
      ],
      '{"a@b.co":1,"c@d.co":2}',
      'a redacted key has no name that no rule matches',
    ],
  ])('%s', async (_title, rules, body, reason) => {
    const sanitizer = createSanitizer(rules)
    const { answer, replaced } = await sanitizer.treat(body)
    expect(answer).toEqual(failed)
    expect(replaced).toBe(0)
    expect(sanitizer.lines[0]?.fields).toMatchObject({ error: 'CannotSanitizeError', reason })
  })
})

test('a client that left is not an error of the gateway', async () => {
  const context = makeContext()
  const rules = everyDetector.map((rule) => ({ action: 'redact' as const, ...rule }))
  const plugin = promptSanitize({ max_body_bytes: 100, uninspected: 'refuse', rules }, context)
  const exchange = makeExchange({
    headers: makeHeaders({ 'Content-Type': 'application/json' }),
    body: {
      length: 2,
      isRead: false,
      read: () => {
        exchange.signal.cancel('client_disconnect')
        return Promise.reject(new Error('gone'))
      },
      arrived: () => undefined,
      isReplaced: false,
      holdIn: () => undefined,
      replace: () => undefined,
      content: () => undefined,
    },
  })
  expect(await plugin.request(exchange)).toMatchObject({ code: 'SANITIZE_FAILED' })
  expect(context.lines).toEqual([])
  await context.close()
})
