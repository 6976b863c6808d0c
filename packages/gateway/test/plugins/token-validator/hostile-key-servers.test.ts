import { createSign, generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { PATIENCE_MS } from '@agentic-rest/testing/eventually'
import { makeKey } from '@agentic-rest/testing/sign-token'
import {
  type Answer,
  type IssuerServer,
  sendJson,
  startIssuer,
  startTrap,
} from '@agentic-rest/testing/start-issuer'
import { exportJWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ownTime } from '../../harness/own-time.ts'
import { fakeTime } from './fake-time.ts'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let trap: Awaited<ReturnType<typeof startTrap>>
let validator: TestValidator | undefined
beforeEach(async () => {
  issuer = await startIssuer()
  trap = await startTrap()
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([issuer.close(), trap.close(), validator?.close()])
})

const keySet = () => JSON.stringify({ keys: issuer.published })

function redirect(status: number): Answer {
  return (_request, response) => response.writeHead(status, { Location: `${trap.url}/jwks` }).end(keySet())
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

/** Answers that must not be accepted as a key set. Most contain the right keys, so a careless check would accept them. */
const wrong: Record<string, () => Answer> = {
  'an HTML page': () => (_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Sign in</title>')
  },
  'ten megabytes': () => (_request, response) => {
    response.end(`{"keys":${JSON.stringify(issuer.published)},"x":"${'a'.repeat(10_485_760)}"}`)
  },
  'one byte over 64 KiB': () => (_request, response) => response.end(keySet().padEnd(65_537)),
  'ten megabytes in chunks': () => (_request, response) => {
    for (let i = 0; i < 160; i++) response.write(Buffer.alloc(65_536, ' '))
    response.end(keySet())
  },
  'a redirect (301)': () => redirect(301),
  'a redirect (302)': () => redirect(302),
  'a redirect (307)': () => redirect(307),
  'a redirect (308)': () => redirect(308),
  'not modified (304)': () => (_request, response) => response.writeHead(304).end(),
  'not found, with keys': () => (_request, response) => response.writeHead(404).end(keySet()),
  'a server error, with keys': () => (_request, response) => response.writeHead(500).end(keySet()),
  'another success (203), with keys': () => (_request, response) => response.writeHead(203).end(keySet()),
  'nothing at all': () => (_request, response) => response.end(),
  'half of it': () => (_request, response) => response.end(keySet().slice(0, -10)),
  'less than announced': () => (_request, response) => {
    response.writeHead(200, { 'Content-Length': keySet().length + 10 })
    response.write(keySet())
    setImmediate(() => response.destroy())
  },
  'a list': () => (_request, response) => sendJson(response, issuer.published),
  null: () => (_request, response) => sendJson(response, null),
  'keys that are no list': () => (_request, response) =>
    sendJson(response, { keys: { ...issuer.published } }),
  'keys under __proto__': () => (_request, response) => response.end(`{"__proto__":${keySet()}}`),
  'compressed bytes': () => (_request, response) => {
    response.setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync(keySet()))
  },
  'a reset connection': () => (request) => request.socket.resetAndDestroy(),
  'something that is not HTTP': () => (request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
}

describe('cold, a key server that answers with', () => {
  test.each(Object.keys(wrong))('%s makes a valid token a failed dependency', async (name) => {
    issuer.answer = wrong[name]?.()
    validator = makeValidator({ issuers: [registered(issuer)] })
    expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
    expect(validator.plugin.degraded?.()).toBe('no fresh keys of issuers[0]')
    expect(trap.requests).toEqual([])
  })
})

describe('warm, a key server that answers with', () => {
  test.each(Object.keys(wrong))('%s leaves the keys as they were', async (name) => {
    fakeTime()
    validator = makeValidator({ issuers: [registered(issuer)] })
    await validator.send(await issuer.token())
    issuer.answer = wrong[name]?.()
    await vi.advanceTimersByTimeAsync(300_000)
    await vi.waitFor(() => expect(validator?.context.lines.at(-1)?.level).toBe('warn'), {
      interval: 1,
      timeout: PATIENCE_MS,
    })
    expect(validator.plugin.degraded?.()).toBe('no fresh keys of issuers[0]')
    expect((await validator.send(await issuer.token())).answer).toBeUndefined()
    expect(trap.requests).toEqual([])
  })
})

test('a key server that drips is given up after five seconds, and only those without keys wait', async () => {
  validator = makeValidator({ issuers: [registered(issuer)] })
  const warm = validator
  await warm.send(await issuer.token())
  const known = await issuer.token()
  issuer.answer = (_request, response) => drip(response)
  await issuer.rotate()
  const startedAt = performance.now()
  const waiting = issuer.token().then((token) => warm.send(token))
  const waited = ownTime(() => waiting)
  const served = warm.send(known)
  expect(await ownTime(() => served)).toBeLessThan(1000)
  expect((await served).answer).toBeUndefined()
  expect((await waiting).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect(performance.now() - startedAt).toBeGreaterThan(4900)
  expect(await waited).toBeLessThan(6500)
})

describe('keys in a set that are ignored', () => {
  test('an exposed private key and a shared secret verify nothing and are warned of', async () => {
    const secret = Buffer.from('a secret of at least thirty-two characters').toString('base64url')
    issuer.published = [await exportJWK(issuer.key.privateKey), { kty: 'oct', kid: 'key-1', k: secret }]
    validator = makeValidator({ issuers: [registered(issuer)] })
    expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('INVALID_TOKEN'))
    expect(validator.context.lines).toContainEqual({
      level: 'warn',
      message: 'an issuer publishes secret keys, which are ignored',
      fields: { issuer: issuer.url, exposedKeys: 2 },
    })
  })

  test('junk between good keys does no harm', async () => {
    const junk = [
      null,
      7,
      'x',
      [],
      {},
      { kty: 'RSA' },
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
      { kty: '__proto__' },
    ]
    issuer.answer = (_request, response) => sendJson(response, { keys: [...junk, ...issuer.published] })
    validator = makeValidator({ issuers: [registered(issuer)] })
    expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  })

  test.each([{ use: 'enc' }, { key_ops: ['sign'] }, { key_ops: 'verify' }, { alg: 'ES256' }, { kid: 7 }])(
    'a key with %j does not verify',
    async (member) => {
      const published = { ...issuer.key.jwk, ...member }
      issuer.answer = (_request, response) => sendJson(response, { keys: [published] })
      validator = makeValidator({ issuers: [registered(issuer)] })
      expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('INVALID_TOKEN'))
    },
  )

  test.each([
    { use: 'sig' },
    { key_ops: ['verify'] },
    { alg: 'EdDSA' },
    { alg: 'Ed25519' },
    { extra: 'member' },
  ])('a key with %j verifies', async (member) => {
    const published = { ...issuer.key.jwk, ...member }
    issuer.answer = (_request, response) => sendJson(response, { keys: [published] })
    validator = makeValidator({ issuers: [registered(issuer)] })
    expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  })

  test('an RSA key of 1024 bits does not verify', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    issuer.published = [{ ...(publicKey.export({ format: 'jwk' }) as { kty: string }), kid: 'weak' }]
    validator = makeValidator({ issuers: [registered(issuer, { algorithms: ['RS256'] })] })
    const [, payload] = (await issuer.token()).split('.')
    const header = Buffer.from('{"alg":"RS256","kid":"weak"}').toString('base64url')
    const signature = createSign('sha256').update(`${header}.${payload}`).sign(privateKey, 'base64url')
    const answer = (await validator.send(`${header}.${payload}.${signature}`)).answer
    expect(answer).toEqual(refusedWith('INVALID_TOKEN'))
  })

  test('an empty set is believed: the issuer says that it has no key', async () => {
    issuer.published = []
    validator = makeValidator({ issuers: [registered(issuer)] })
    expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('INVALID_TOKEN'))
  })

  test('of many keys without kid only a handful are tried', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => makeKey('EdDSA', undefined)))
    const last = await makeKey('EdDSA', undefined)
    issuer.published = [...others, last].map(({ jwk }) => jwk)
    validator = makeValidator({ issuers: [registered(issuer)] })
    const answerTo = async (key: typeof last | undefined) => {
      if (key === undefined) throw new Error('no such key')
      return (await validator?.send(await issuer.token({ key })))?.answer
    }
    expect(await answerTo(others[4])).toBeUndefined()
    expect(await answerTo(last)).toEqual(refusedWith('INVALID_TOKEN'))
  })
})
