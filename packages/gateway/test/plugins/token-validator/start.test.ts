import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKey } from '@agentic-rest/testing/sign-token'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InitialisationError } from '../../../src/errors.ts'
import { tokenValidator } from '../../../src/plugins/token-validator/token-validator.ts'
import { makeContext } from '../make-exchange.ts'
import { makeOptions, makeValidator, refusedWith, registered } from './make-validator.ts'

let issuer: IssuerServer
const folder = mkdtempSync(join(tmpdir(), 'token-validator-'))
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.close())

const withFile = (name: string, more: Record<string, unknown> = {}) =>
  registered(issuer, { jwks_uri: undefined, jwks_file: name, ...more })

async function startWith(issuers: readonly Record<string, unknown>[]): Promise<string> {
  const context = makeContext({ baseFolder: folder })
  try {
    tokenValidator(makeOptions({ issuers }), context)
  } catch (error) {
    if (error instanceof InitialisationError) return error.message
    throw error
  } finally {
    await context.close()
  }
  return 'started'
}

describe('jwks_file', () => {
  test('is read at start, relative to the base folder, and makes no look-up', async () => {
    const before = issuer.requests.length
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [issuer.key.jwk] }))
    const validator = makeValidator({ issuers: [withFile('keys.json')] }, { baseFolder: folder })
    expect((await validator.send(await issuer.token())).answer).toBeUndefined()
    const stranger = await issuer.token({ key: await makeKey('EdDSA', 'key-9') })
    expect((await validator.send(stranger)).answer).toEqual(refusedWith('INVALID_TOKEN'))
    expect(validator.plugin.degraded?.()).toBeUndefined()
    expect(issuer.requests.length).toBe(before)
    await validator.close()
  })

  test('may be absolute', async () => {
    writeFileSync(join(folder, 'absolute.json'), JSON.stringify({ keys: [issuer.key.jwk] }))
    expect(await startWith([withFile(join(folder, 'absolute.json'))])).toBe('started')
  })

  test.each([
    ['is not there', undefined],
    ['is empty', ''],
    ['is not JSON', 'keys: []'],
    ['has no list of keys', '{"kty":"OKP"}'],
  ])('that %s fails the start', async (what, content) => {
    const name = `${what.replaceAll(' ', '-')}.json`
    if (content !== undefined) writeFileSync(join(folder, name), content)
    expect(await startWith([withFile(name)])).toBe(`issuer ${issuer.url}: jwks_file cannot be read`)
  })

  test.each([
    ['no key', () => []],
    ['a key of another algorithm', async () => [(await makeKey('ES256', 'e')).jwk]],
    ['a private key', async () => [await exportJWK(issuer.key.privateKey)]],
    ['a key for encryption', () => [{ ...issuer.key.jwk, use: 'enc' }]],
    ['a shared secret', () => [{ kty: 'oct', k: 'c2VjcmV0' }]],
    ['a broken key', () => [{ ...issuer.key.jwk, x: 'AA' }]],
  ])('that has just %s fails the start', async (what, keys) => {
    const name = `just-${what.replaceAll(' ', '-')}.json`
    writeFileSync(join(folder, name), JSON.stringify({ keys: await keys() }))
    expect(await startWith([withFile(name)])).toBe(
      `issuer ${issuer.url}: jwks_file has no public key for the allowed algorithms`,
    )
  })

  test('that fails the start leaves no other issuer fetching keys', async () => {
    const other = await startIssuer()
    expect(await startWith([registered(other), withFile('not-there.json')])).toContain('cannot be read')
    expect(other.requests).toEqual([])
    await other.close()
  })
})

test('HS256 without a secret fails the start', async () => {
  expect(await startWith([registered(issuer, { algorithms: ['EdDSA', 'HS256'] })])).toBe(
    `issuer ${issuer.url}: HS256 needs hs256_secret`,
  )
})

test('an issuer that needs discovery but is no URL fails the start', async () => {
  expect(await startWith([{ issuer: 'my-issuer' }])).toBe(
    'issuer my-issuer: without jwks_uri or jwks_file it must be a URL',
  )
})

test('an issuer that is configured twice fails the start', async () => {
  expect(await startWith([registered(issuer), registered(issuer)])).toBe('an issuer is configured twice')
})

test('a key server that is down does not fail the start', async () => {
  const gone = await startIssuer()
  await gone.close()
  const validator = makeValidator({ issuers: [registered(gone)] })
  expect((await validator.send(await gone.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  await validator.close()
})

test('keys are fetched at start, before any request', async () => {
  const own = await startIssuer()
  const validator = makeValidator({ issuers: [registered(own)] })
  await expect.poll(() => validator.plugin.degraded?.()).toBeUndefined()
  expect(own.requests).toEqual(['/jwks'])
  await Promise.all([validator.close(), own.close()])
})
