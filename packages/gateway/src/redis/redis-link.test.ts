import { codedError } from '@agentic-rest/http1'
import { eventually } from '@agentic-rest/testing/eventually'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../log.ts'
import { linkTimes, RedisLink } from './redis-link.ts'

const times = { ...linkTimes, answerWithinMs: 40, retryFromMs: 1, retryUpToMs: 2 }

/** A link whose attempts to connect end as the list says; more attempts succeed. */
function linkWith(failures: readonly string[]) {
  const lines: unknown[] = []
  const changes: boolean[] = []
  const log = {
    info: (text: string) => lines.push(text),
    warn: (text: string, fields: unknown) => lines.push([text, fields]),
  } as unknown as Log
  const calls = { attempts: 0, entered: 0 }
  const link = new RedisLink<string>({
    shared: { redis_url: 'redis://127.0.0.1:1' },
    log,
    times,
    async connect() {
      const code = failures[calls.attempts]
      calls.attempts += 1
      if (code !== undefined) throw codedError(code, 'redis://user:password@host')
      return `store ${calls.attempts}`
    },
    async enter() {
      calls.entered += 1
    },
    found: 'found',
    missing: 'missing',
    onChange: (isFound) => changes.push(isFound),
  })
  onTestFinished(() => link.close())
  return { link, lines, changes, calls }
}

test('an outage is one line, however many attempts fail', async () => {
  const { link, lines, changes, calls } = linkWith(['ECONNREFUSED', 'ECONNREFUSED', 'ETIMEDOUT'])
  expect(link.isAlone).toBe(false)
  await link.open()
  expect([link.isAlone, link.cause]).toEqual([true, 'ECONNREFUSED'])
  await eventually(
    async () => link.store,
    (store) => store !== undefined,
  )
  expect(link.store).toBe('store 4')
  expect(calls.attempts).toBe(4)
  expect(lines).toEqual([['missing', { reason: 'ECONNREFUSED' }], 'found'])
  expect(changes).toEqual([false, true])
})

test('a command that fails or takes too long loses Redis, and the state is brought again', async () => {
  const { link, lines, calls } = linkWith([])
  await link.open()
  expect(await link.ask(async (store) => store)).toBe('store 1')
  await expect(link.ask(() => new Promise(() => undefined))).rejects.toThrow('no answer in time')
  expect([link.isAlone, link.cause]).toEqual([true, 'TIMEOUT'])
  await expect(link.ask(async (store) => store)).rejects.toThrow('Redis is out of reach')
  await eventually(
    async () => link.store,
    (store) => store === 'store 2',
  )
  // Before and after the store is used, for each of the two connections.
  expect(calls.entered).toBe(4)
  await expect(link.ask(() => Promise.reject(codedError('READONLY', 'no')))).rejects.toThrow('no')
  expect(lines).toEqual([
    'found',
    ['missing', { reason: 'TIMEOUT' }],
    'found',
    ['missing', { reason: 'READONLY' }],
  ])
})

test('a link that is not used does not connect, and a closed one does not connect again', async () => {
  const { link, calls } = linkWith(['ECONNREFUSED'])
  expect([link.isOpened, link.isAlone, calls.attempts]).toEqual([false, false, 0])
  await link.open()
  await link.close()
  // Wait: longer than every pause between attempts.
  await new Promise((resolve) => setTimeout(resolve, 10 * times.retryUpToMs))
  expect(calls.attempts).toBe(1)
})
