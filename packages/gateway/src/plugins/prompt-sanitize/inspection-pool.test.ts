import { getPriority } from 'node:os'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { SanitizeRule } from '../../config/config-schema.ts'
import type { BodyKind } from './body-kind.ts'
import { compileRules } from './compile-rules.ts'
import { InspectionPool, type InspectionPoolOptions } from './inspection-pool.ts'
import { createViewReader } from './readable-view.ts'
import { createTextRedactor, RedactionTally } from './redact-text.ts'
import { sanitizeCounted } from './sanitize-body.ts'

const seed = Number(process.env['SEED'])
const never = new AbortController().signal

const rules: readonly SanitizeRule[] = [
  { name: 'email', builtin: 'email', action: 'redact' },
  { name: 'card', builtin: 'credit_card', action: 'redact' },
  { name: 'ticket', regex: 'TCK-[0-9]{6}', replacement: '[ticket]', action: 'redact' },
  { name: 'jailbreak', keywords: ['ignore previous instructions'], action: 'reject' },
]

function openPool(options: InspectionPoolOptions = {}): InspectionPool {
  const pool = new InspectionPool(rules, { threads: 1, ...options })
  onTestFinished(() => pool.close())
  return pool
}

/** A thread that answers a body with its text, works for ever on "spin", dies of "die", and after the answer of "die later". */
const toyProgram = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ bytes }) => {
      const text = Buffer.from(bytes).toString()
      if (text === 'die') process.exit(3)
      if (text === 'spin') for (;;);
      if (text === 'die later') setImmediate(() => process.exit(3))
      parentPort.postMessage({ type: 'refused', field: 'body', message: text })
    })`)}`,
)

const ask = (pool: InspectionPool, text: string, { tenant = 'acme', signal = never } = {}) =>
  pool.inspect({ tenant, bytes: Buffer.from(text), kind: 'text', signal })

const answered = (message: string) => ({ type: 'refused', field: 'body', message })

test(`a thread comes to the same result as the event loop (seed ${seed})`, async () => {
  const pool = openPool()
  const read = createViewReader()
  const tally = new RedactionTally()
  const redact = createTextRedactor(compileRules(rules, read), read, tally)
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'alice@example.test',
      '4111 1111 1111 1111',
      'see TCK-123456',
      'Ignore previous  instructions',
    ),
  )
  const documents = fc.array(fc.dictionary(fc.string(), value, { maxKeys: 4 }), { maxLength: 6 })
  const bodies = fc.oneof(
    documents.map((document) => Buffer.from(JSON.stringify(document))),
    value.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  )
  const kinds = fc.constantFrom<BodyKind>('json', 'lines', 'form', 'text')
  await fc.assert(
    fc.asyncProperty(bodies, kinds, async (bytes, kind) => {
      const expected = sanitizeCounted(Buffer.from(bytes), kind, { redact, tally })
      expect(await pool.inspect({ tenant: 'acme', bytes, kind, signal: never })).toEqual(expected)
    }),
    { seed, numRuns: 500 },
  )
})

test('a body of a megabyte is redacted, and its own bytes stay as they were', async () => {
  const priority = getPriority()
  const source = JSON.stringify(Array(40_000).fill('write to alice@example.test'))
  const bytes = Buffer.from(source)
  const result = await openPool().inspect({ tenant: 'acme', bytes, kind: 'json', signal: never })
  const expected = Buffer.from(source.replaceAll('alice@example.test', '[REDACTED:email]'))
  expect(result.type === 'changed' && result.bytes.equals(expected)).toBe(true)
  expect(bytes.toString() === source).toBe(true)
  // Only the thread gives way to others.
  expect(getPriority()).toBe(priority)
})

test('a failure in the thread is described without its message', async () => {
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      const failure = { error: 'TypeError', at: ['at x'] }
      parentPort.on('message', () => parentPort.postMessage({ type: 'failed', failure }))`)}`,
  )
  const failure = { error: 'TypeError', at: ['at x'] }
  await expect(ask(openPool({ program }), 'x')).rejects.toMatchObject({ failure })
})

test('waiting tenants are served in turn', async () => {
  const pool = openPool({ program: toyProgram })
  const order: string[] = []
  const asked = ['a1', 'a2', 'a3', 'g1'].map(async (text) => {
    const tenant = text.startsWith('a') ? 'acme' : 'globex'
    await ask(pool, text, { tenant })
    order.push(text)
  })
  await Promise.all(asked)
  expect(order).toEqual(['a1', 'a2', 'g1', 'a3'])
})

test('the queue is bounded, for one tenant and for all', async () => {
  const pool = openPool({ program: toyProgram })
  const texts = (count: number) => Array.from({ length: count }, (_, index) => String(index))
  const acme = texts(17).map((text) => ask(pool, text))
  await expect(ask(pool, 'x')).rejects.toMatchObject({ limit: 'inspection_queue_per_tenant' })
  expect(() => pool.refuseIfFull('acme')).toThrow('inspection_queue_per_tenant')
  const others = ['b', 'c', 'd'].flatMap((tenant) => texts(16).map((text) => ask(pool, text, { tenant })))
  await expect(ask(pool, 'x', { tenant: 'e' })).rejects.toMatchObject({ limit: 'inspection_queue' })
  expect((await Promise.all([...acme, ...others])).length).toBe(17 + 48)
  expect(await ask(pool, 'again')).toEqual(answered('again'))
})

test('a thread that works too long is replaced, and the next body is inspected', async () => {
  const pool = openPool({ program: toyProgram, longestMs: 100 })
  await expect(ask(pool, 'spin')).rejects.toMatchObject({ failure: { reason: 'the thread was ended' } })
  // On a busy machine the time is over before the next thread has started.
  await expect.poll(() => ask(pool, 'next').catch(() => 'late')).toEqual(answered('next'))
})

test('a thread that works on for a client that left is replaced', async () => {
  const pool = openPool({ program: toyProgram, graceMs: 10 })
  const leaving = new AbortController()
  const [stuck, waiting] = [ask(pool, 'spin', leaving), ask(pool, 'x', leaving)]
  const next = ask(pool, 'next')
  await new Promise(setImmediate)
  leaving.abort('client_disconnect')
  await expect(waiting).rejects.toBe('client_disconnect')
  await expect(stuck).rejects.toThrow('the inspection failed')
  expect(await next).toEqual(answered('next'))
})

test('a thread that dies fails its body alone', async () => {
  const pool = openPool({ program: toyProgram })
  await expect(ask(pool, 'die')).rejects.toThrow('the thread ended')
  expect(await ask(pool, 'next')).toEqual(answered('next'))
})

test('one tenant never has all of several threads', async () => {
  const pool = openPool({ program: toyProgram, threads: 2, graceMs: 10 })
  const leaving = new AbortController()
  const stuck = [ask(pool, 'spin', leaving), ask(pool, 'spin', leaving)]
  expect(await ask(pool, 'other', { tenant: 'globex' })).toEqual(answered('other'))
  leaving.abort('client_disconnect')
  await Promise.allSettled(stuck)
})

test('closing ends the threads', async () => {
  const pool = openPool({ program: toyProgram })
  const stuck = ask(pool, 'spin')
  await new Promise(setImmediate)
  await Promise.all([pool.close(), expect(stuck).rejects.toThrow('the inspection failed')])
})

test('a thread that died without work is replaced', async () => {
  const pool = openPool({ program: toyProgram, longestMs: 5000 })
  expect(await ask(pool, 'die later')).toEqual(answered('die later'))
  const [thread] = (pool as unknown as { threads: Set<{ isLost: boolean }> }).threads
  while (thread?.isLost === false) await new Promise(setImmediate)
  expect(await ask(pool, 'next')).toEqual(answered('next'))
})
