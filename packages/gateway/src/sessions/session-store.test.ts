import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../log.ts'
import { createDropReport, MemorySessions, type Session } from './session-store.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const session = (endsAt: number, more: Partial<Session> = {}): Session => ({
  listener: 'main',
  token: 't',
  endsAt,
  ...more,
})
const grant = { issuer: 'i', idToken: undefined, refreshToken: undefined, tokenEndsAt: undefined }
const open = (most?: number) => {
  const dropped: number[] = []
  return { dropped, sessions: new MemorySessions({ most, onDropped: (bound) => dropped.push(bound) }) }
}

test('a session is found until it ends by itself or is ended', () => {
  const { sessions } = open()
  sessions.add('a', session(2000))
  sessions.add('b', session(3000, { listener: 'admin' }))
  expect(sessions.count()).toEqual({ main: 1, admin: 1 })
  expect(sessions.end('b')).toEqual(session(3000, { listener: 'admin' }))
  expect([sessions.find('b'), sessions.end('b')]).toEqual([undefined, undefined])
  vi.setSystemTime(2000)
  expect(sessions.find('a')).toBeUndefined()
  expect(sessions.count()).toEqual({ main: 0, admin: 0 })
})

test('above the bound the oldest goes; those that are over go without a word', () => {
  const { sessions, dropped } = open(2)
  for (const id of ['a', 'b', 'c']) sessions.add(id, session(2000))
  expect(['a', 'b', 'c'].map((id) => sessions.find(id) !== undefined)).toEqual([false, true, true])
  expect(dropped).toEqual([2])
  vi.setSystemTime(2000)
  sessions.add('d', session(3000))
  expect(dropped).toEqual([2])
})

test('an ended session does not come back by a refresh', () => {
  const { sessions } = open()
  sessions.add('a', session(2000))
  sessions.replace('a', session(2000, { token: 'new' }))
  expect(sessions.find('a')?.token).toBe('new')
  sessions.end('a')
  sessions.replace('a', session(2000))
  expect(sessions.find('a')).toBeUndefined()
})

test('a provider ends one session by its id, or all of a person, and nothing of another issuer', () => {
  const { sessions } = open()
  const of = (subject: string, sid: string, issuer = 'i') =>
    session(2000, { grant: { ...grant, issuer, subject, sid } })
  sessions.add('1', of('bob', 's1'))
  sessions.add('2', of('bob', 's2'))
  sessions.add('3', of('bob', 's1', 'other'))
  sessions.add('4', session(2000))
  expect(sessions.endAll({ issuer: 'i', subject: 'bob', sid: 's1' })).toBe(1)
  expect(sessions.find('1')).toBeUndefined()
  expect(sessions.endAll({ issuer: 'i', subject: 'bob' })).toBe(1)
  expect(['2', '3', '4'].map((id) => sessions.find(id) !== undefined)).toEqual([false, true, true])
})

test('a name is taken once, until its time is over; taken names are bounded', () => {
  const { sessions } = open(2)
  expect([sessions.claim('a', 100), sessions.claim('a', 100)]).toEqual([true, false])
  vi.advanceTimersByTime(100)
  expect(sessions.claim('a', 100)).toBe(true)
  for (const name of ['b', 'c']) sessions.claim(name, 100)
  expect([sessions.claim('c', 100), sessions.claim('a', 100)]).toEqual([false, true])
})

test('dropped sessions are told once a minute', () => {
  const lines: string[] = []
  const report = createDropReport(
    createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
  )
  for (let count = 0; count < 5; count++) report(10_000)
  expect(lines).toHaveLength(1)
  vi.advanceTimersByTime(60_000)
  report(10_000)
  expect(lines.map((line) => JSON.parse(line).most)).toEqual([10_000, 10_000])
})
