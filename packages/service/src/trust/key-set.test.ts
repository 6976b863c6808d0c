import { generateKeyPairSync } from 'node:crypto'
import { memoryLog } from '@agentic-rest/testing/start-service'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { remoteKeySet, staticKeySet, usableKeys } from './key-set.ts'

const jwkOf = (type: 'ed25519' | 'ec') =>
  (type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('ed25519')
  ).publicKey.export({ format: 'jwk' })
const ed = { ...jwkOf('ed25519'), kid: 'k-1' }
const ec = { ...jwkOf('ec'), kid: 'k-1' }
const unknown = { kind: 'unknown' }
const found = { kind: 'found', key: expect.anything() }

test('keys of the two accepted algorithms are used', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  expect(usableKeys({ keys: [ed, rsa, { ...ec, use: 'sig' }, { ...ed, kid: undefined }] })).toMatchObject([
    { kid: 'k-1', shape: 'OKP Ed25519' },
    { kid: 'k-1', shape: 'EC P-256' },
    { kid: undefined, shape: 'OKP Ed25519' },
  ])
  expect(usableKeys({ keys: 'all' })).toEqual([])
})

test('a key is found by id and algorithm; without an id there must be only one', () => {
  const both = staticKeySet(usableKeys({ keys: [ed, { ...ed, kid: 'k-2' }, ec] }))
  expect(both.find({ kid: 'k-2', alg: 'EdDSA' })).toEqual(found)
  expect(both.find({ kid: 'k-3', alg: 'EdDSA' })).toEqual(unknown)
  expect(both.find({ kid: 'k-2', alg: 'ES256' })).toEqual(unknown)
  expect(both.find({ kid: undefined, alg: 'ES256' })).toEqual(found)
  expect(both.find({ kid: undefined, alg: 'EdDSA' })).toEqual(unknown)
  const twice = staticKeySet(usableKeys({ keys: [ed, { ...jwkOf('ed25519'), kid: 'k-1' }] }))
  expect(twice.find({ kid: 'k-1', alg: 'EdDSA' })).toEqual(unknown)
})

describe('a fetched key set', () => {
  const MINUTE = 60_000
  let clock = 0
  beforeEach(() => {
    clock = 100 * MINUTE
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
  })
  afterEach(() => void vi.restoreAllMocks())

  /** A key set whose answers a test can replace; it counts its fetches. */
  function start(first: () => Response) {
    const state = { answer: first, asked: 0, init: undefined as RequestInit | undefined }
    const { log, lines } = memoryLog()
    const keys = remoteKeySet({
      url: 'http://gateway.example/keys',
      log,
      fetch: async (_url, init) => {
        state.asked += 1
        state.init = init
        return state.answer()
      },
    })
    const find = (kid: string) => keys.find({ kid, alg: 'EdDSA' })
    return { state, find, lines }
  }

  const good =
    (...keys: object[]) =>
    () =>
      Response.json({ keys })
  const bad = () => new Response('no', { status: 503 })

  test('is fetched at its first use, without following redirects', async () => {
    const { state, find } = start(good(ed))
    expect(await Promise.all([find('k-1'), find('k-1')])).toEqual([found, found])
    expect(state.asked).toBe(1)
    expect(state.init).toMatchObject({ redirect: 'error', signal: expect.any(AbortSignal) })
    // A known key needs no promise.
    expect(find('k-1')).toEqual(found)
  })

  test('is fetched again for an unknown key, ten seconds later', async () => {
    const { state, find } = start(good(ed))
    await find('k-1')
    state.answer = good({ ...ed, kid: 'k-2' })
    clock += 9_999
    expect(find('k-2')).toEqual(unknown)
    expect(find('k-1')).toEqual(found)
    clock += 1
    expect(await find('k-2')).toEqual(found)
    expect(await find('k-1')).toEqual(unknown)
    expect(state.asked).toBe(2)
  })

  test('is fetched again by age, while the known keys are used', async () => {
    const { state, find } = start(good(ed))
    await find('k-1')
    clock += 10 * MINUTE
    expect(find('k-1')).toEqual(found)
    expect(state.asked).toBe(1)
    clock += 1
    expect(find('k-1')).toEqual(found)
    expect(state.asked).toBe(2)
  })

  test('stays in use for a day while the gateway does not answer, asked once a second', async () => {
    const { state, find, lines } = start(good(ed))
    await find('k-1')
    state.answer = bad
    clock += 11 * MINUTE
    expect(find('k-1')).toEqual(found)
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      message: 'the keys of the gateway cannot be fetched',
      fields: { cause: new Error('it was answered with 503') },
    })
    clock += 999
    expect(find('k-1')).toEqual(found)
    expect(state.asked).toBe(2)
    clock += 1
    find('k-1')
    expect(state.asked).toBe(3)
    clock += 24 * 60 * MINUTE
    expect(await find('k-1')).toEqual({ kind: 'unavailable' })
  })

  test.each<[string, () => Response, string]>([
    ['an error', bad, 'it was answered with 503'],
    ['an error without a body', () => new Response(null, { status: 404 }), 'it was answered with 404'],
    ['64 KiB and a byte', () => new Response(' '.repeat(65_537)), 'the key set is too large'],
    [
      'a private key',
      () => Response.json({ keys: [{ ...ed, d: 'secret' }] }),
      'the key set has a private key ("k-1"); give its public part, without the members that are secret',
    ],
    ['no keys', good(), 'the key set has no Ed25519 or P-256 key for signatures'],
  ])('that is %s is not available', async (_title, answer, message) => {
    const { state, find, lines } = start(answer)
    expect(await find('k-1')).toEqual({ kind: 'unavailable' })
    expect(lines[0]?.fields).toMatchObject({ cause: new Error(message) })
    // Within a second it is not asked again.
    expect(find('k-1')).toEqual({ kind: 'unavailable' })
    expect(state.asked).toBe(1)
  })

  test('without a body is not available', async () => {
    expect(await start(() => new Response(null)).find('k-1')).toEqual({ kind: 'unavailable' })
  })
})
