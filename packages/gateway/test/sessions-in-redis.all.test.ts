import { eventually } from '@agentic-rest/testing/eventually'
import { expect, onTestFinished } from 'vitest'
import { createLog } from '../src/log.ts'
import { RedisSessions } from '../src/sessions/redis-sessions.ts'
import type { Session } from '../src/sessions/session-store.ts'
import { testWithRedis } from './shared-limits/with-redis.ts'

function open(redis_url: string, most?: number) {
  const dropped: number[] = []
  const log: Record<string, unknown>[] = []
  const sessions = new RedisSessions({
    shared: { redis_url },
    log: createLog({ level: 'info', pretty: false, write: (line) => log.push(JSON.parse(line)) }),
    onDropped: (bound) => dropped.push(bound),
    most,
  })
  onTestFinished(() => sessions.close())
  return { sessions, dropped, log }
}

const session = (seconds: number, more: Partial<Session> = {}): Session => ({
  listener: 'main',
  token: 't',
  endsAt: Date.now() + seconds * 1000,
  ...more,
})
const grantOf = (subject: string, sid?: string) => ({
  grant: { issuer: 'i', subject, sid, idToken: undefined, refreshToken: undefined, tokenEndsAt: undefined },
})

testWithRedis('gateways of one Redis know the sessions of each other, and their ends', async (startRedis) => {
  const { url } = await startRedis()
  const [one, two] = [open(url).sessions, open(url).sessions]
  const kept = session(60)
  await one.add('a', kept)
  expect(await two.find('a')).toEqual(kept)
  expect(await two.end('a')).toEqual(kept)
  expect([await one.find('a'), await one.end('a')]).toEqual([undefined, undefined])
  // A refresh that was under way brings no ended session back.
  await one.replace('a', kept)
  expect(await two.find('a')).toBeUndefined()
  expect([await one.claim('x', 60_000), await two.claim('x', 60_000)]).toEqual([true, false])
})

testWithRedis('above the bound the oldest goes, of both listeners', async (startRedis) => {
  const { sessions, dropped } = open((await startRedis()).url, 2)
  await sessions.add('a', session(60, { listener: 'admin' }))
  await sessions.add('b', session(61))
  await sessions.add('c', session(62))
  expect(dropped).toEqual([2])
  expect(await sessions.find('a')).toBeUndefined()
  expect((await sessions.find('b'))?.token).toBe('t')
  await eventually(
    () => sessions.count(),
    ({ main, admin }) => main === 2 && admin === 0,
  )
})

testWithRedis('a provider ends one session by its id, or all of a person', async (startRedis) => {
  const { sessions } = open((await startRedis()).url)
  await sessions.add('1', session(60, grantOf('bob', 's1')))
  await sessions.add('2', session(60, grantOf('bob', 's2')))
  await sessions.add('3', session(60, grantOf('eve')))
  expect(await sessions.endAll({ issuer: 'other', subject: 'bob' })).toBe(0)
  expect(await sessions.endAll({ issuer: 'i', subject: 'bob', sid: 's1' })).toBe(1)
  expect(await sessions.find('1')).toBeUndefined()
  expect(await sessions.endAll({ issuer: 'i', subject: 'bob' })).toBe(1)
  expect([await sessions.find('2'), (await sessions.find('3'))?.token]).toEqual([undefined, 't'])
})

testWithRedis(
  'a session that ends sooner does not hide a later one from its provider',
  async (startRedis) => {
    const { sessions } = open((await startRedis()).url)
    await sessions.add('later', session(60, grantOf('bob')))
    await sessions.add('sooner', session(0.2, grantOf('bob')))
    await eventually(
      () => sessions.find('sooner'),
      (found) => found === undefined,
    )
    expect(await sessions.endAll({ issuer: 'i', subject: 'bob' })).toBe(1)
    expect(await sessions.find('later')).toBeUndefined()
  },
)

testWithRedis('without Redis nobody is signed in, and it is told once', async (startRedis) => {
  const redis = await startRedis()
  const { sessions, log } = open(redis.url)
  await sessions.add('a', session(60))
  await redis.stop()
  await expect(sessions.find('a')).rejects.toThrow()
  await expect(sessions.find('a')).rejects.toThrow()
  expect(sessions.isReachable()).toBe(false)
  expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
    'the store of sessions is out of reach',
  ])
})
