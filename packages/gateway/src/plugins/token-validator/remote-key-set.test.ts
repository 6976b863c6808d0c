import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { KeySource } from './key-set.ts'
import { createRemoteKeySet, discoveryUrl, keySetPolicy, readJwksUri } from './remote-key-set.ts'

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

const HOURS = 24

function documentWith(...kids: string[]): Buffer {
  const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return Buffer.from(JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid })) }))
}

describe('a remote key set', () => {
  let loads: number
  let next: () => Promise<Buffer>
  let source: KeySource
  const startSource = () =>
    createRemoteKeySet({
      issuer: 'test',
      log: silent,
      load: () => {
        loads += 1
        return next()
      },
    })

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    loads = 0
  })
  afterEach(() => {
    source.close()
    vi.useRealTimers()
  })

  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
  const find = async (kid: string | undefined) => (await source.find({ kid, algorithm: 'EdDSA' })).type

  test('the pauses between failed attempts double from one second to thirty, and a success ends them', async () => {
    next = () => Promise.reject(new Error('down'))
    source = startSource()
    await pass(0)
    for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30, 30].entries()) {
      await pass(seconds * 1000 - 1)
      expect(loads).toBe(index + 1)
      await pass(1)
      expect(loads).toBe(index + 2)
    }
    const document = documentWith('a')
    next = async () => document
    await pass(30_000)
    expect(source.isFresh()).toBe(true)
    const fetched = loads
    await pass(keySetPolicy.refreshMs - 1)
    expect(loads).toBe(fetched)
    await pass(1)
    expect(loads).toBe(fetched + 1)
  })

  test('keys serve to the last millisecond of the day after they were fetched', async () => {
    const document = documentWith('a')
    next = async () => document
    source = startSource()
    await pass(0)
    next = () => Promise.reject(new Error('down'))
    // In few steps: the clock waits for the process at each of thousands of attempts, for minutes on a busy machine.
    for (let hour = 0; hour < HOURS; hour += 1) {
      vi.advanceTimersByTime(keySetPolicy.staleMs / HOURS)
      await pass(0)
    }
    expect(await find('a')).toBe('found')
    await pass(1)
    expect(await find('a')).toBe('unavailable')
    expect(source.version()).toBeUndefined()
  })

  test('the version changes with the document and only then', async () => {
    const first = documentWith('a')
    next = async () => first
    source = startSource()
    expect(source.version()).toBeUndefined()
    await pass(0)
    expect(source.version()).toBe(1)
    await pass(keySetPolicy.refreshMs)
    expect([loads, source.version()]).toEqual([2, 1])
    const second = documentWith('a')
    next = async () => second
    await pass(keySetPolicy.refreshMs)
    expect([loads, source.version()]).toEqual([3, 2])
  })

  test('one load is under way at a time, however many ask', async () => {
    let deliver: (document: Buffer) => void = () => undefined
    next = () => new Promise((resolve) => (deliver = resolve))
    source = startSource()
    const answers = Promise.all(Array.from({ length: 100 }, (_, i) => find(i % 2 === 0 ? 'a' : 'b')))
    await pass(10)
    expect(loads).toBe(1)
    deliver(documentWith('a'))
    expect(new Set(await answers)).toEqual(new Set(['found', 'unknown']))
    expect(loads).toBe(1)
  })

  test('kids that were asked for in vain are remembered up to a bound', async () => {
    const document = documentWith('a')
    let deliver: (document: Buffer) => void = () => undefined
    next = () => new Promise((resolve) => (deliver = resolve))
    source = startSource()
    const many = Array.from({ length: keySetPolicy.maxMissingKids + 1 }, (_, i) => find(`k${i}`))
    deliver(document)
    await Promise.all(many)
    expect(loads).toBe(1)
    next = async () => document
    expect(await find('k1')).toBe('unknown')
    expect(loads).toBe(1)
    expect(await find('k0')).toBe('unknown')
    expect(loads).toBe(2)
  })

  test('all wait for the first load, and a bounded number for a later one', async () => {
    let deliver: (document: Buffer) => void = () => undefined
    next = () => new Promise((resolve) => (deliver = resolve))
    source = startSource()
    const { maxWaiting } = keySetPolicy
    const ask = (prefix: string) =>
      Promise.all(Array.from({ length: maxWaiting + 3 }, (_, i) => find(`${prefix}${i}`)))
    const first = ask('a')
    deliver(documentWith('known'))
    expect(new Set(await first)).toEqual(new Set(['unknown']))
    for (const prefix of ['b', 'c']) {
      const later = ask(prefix)
      deliver(documentWith('known'))
      const answers = await later
      expect(answers.filter((answer) => answer === 'unknown')).toHaveLength(maxWaiting)
      expect(answers.filter((answer) => answer === 'unavailable')).toHaveLength(3)
      await pass(keySetPolicy.cooldownMs)
    }
  })

  test('a source that was closed while it loaded stays quiet', async () => {
    let fail: (error: Error) => void = () => undefined
    next = () => new Promise((_, reject) => (fail = reject))
    source = startSource()
    source.close()
    fail(new Error('the client was closed'))
    await pass(3_600_000)
    expect(loads).toBe(1)
  })
})

const documentOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test.each([
  ['https://id.example.test', 'https://id.example.test/.well-known/openid-configuration'],
  ['https://id.example.test/', 'https://id.example.test/.well-known/openid-configuration'],
  ['https://id.example.test/a/b', 'https://id.example.test/a/b/.well-known/openid-configuration'],
])('the discovery document of %s is at %s', (issuer, url) => expect(discoveryUrl(issuer)).toBe(url))

test('the keys of an https issuer are not fetched by http', () => {
  const issuer = 'https://id.example.test'
  const secure = { issuer, jwks_uri: 'https://keys.example.test/jwks' }
  expect(readJwksUri(documentOf(secure), issuer)).toBe('https://keys.example.test/jwks')
  const insecure = { issuer, jwks_uri: 'http://keys.example.test/jwks' }
  expect(() => readJwksUri(documentOf(insecure), issuer)).toThrow(
    'the discovery document of an https issuer names an http address of keys',
  )
})
