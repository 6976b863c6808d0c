import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { redisUrlOf } from '../src/config/secret-files.ts'

const SECRET = 'a-shared-secret-of-more-than-32-characters'

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, content)
  return file
}

const issuerWith = (hs256_secret_file: string) => ({
  issuer: 'tests',
  audience: ['agentic'],
  algorithms: ['HS256'],
  hs256_secret_file,
})

async function start(issuer: object, webhook?: object) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  return startGateway({
    plugins: {
      'token-validator': { issuers: [issuer] },
      ...(webhook && { 'tenant-injector': { webhook } }),
    },
    routes: [{ id: 'read', method: 'GET', path: '/items', target: upstream.url }],
  })
}

async function ask(url: string, claims: Record<string, unknown> = { tenant_id: 'acme' }) {
  const token = await new SignJWT({ sub: 'alice', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('tests')
    .setAudience('agentic')
    .setExpirationTime('1m')
    .sign(Buffer.from(SECRET))
  return (await fetch(`${url}/items`, { headers: { Authorization: `Bearer ${token}` } })).status
}

test.each(['', '\n', '\r\n'])('a shared secret is read from a file that ends in %j', async (end) => {
  const { url } = await start(issuerWith(fileWith(SECRET + end)))
  expect(await ask(url)).toBe(200)
})

test('only one newline is cut', async () => {
  const { url } = await start(issuerWith(fileWith(`${SECRET}\n\n`)))
  expect(await ask(url)).toBe(401)
})

test('a header of a webhook is read from a file', async () => {
  const directory = await startUpstream((_request, response) =>
    answerJson(response, { body: { tenant_id: 'acme' } }),
  )
  const headers_files = { Authorization: fileWith('Bearer directory-key\n') }
  const webhook = { url: `${directory.url}/{principal}`, headers: { 'X-More': 'a' }, headers_files }
  const { url } = await start(issuerWith(fileWith(SECRET)), webhook)
  expect(await ask(url, {})).toBe(200)
  expect(directory.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer directory-key',
    'x-more': 'a',
  })
})

describe('a file that cannot be used ends the start and shows no content', () => {
  const key = 'plugins.token-validator.issuers[0].hs256_secret_file'

  test.each([
    ['', `${key}: its content is empty`],
    ['\n', `${key}: its content is empty`],
    ['too-short', `${key}: its content must have at least 32 characters`],
  ])('%j', async (content, message) => {
    await expect(start(issuerWith(fileWith(content)))).rejects.toThrow(message)
  })

  test('no file', async () => {
    await expect(start(issuerWith('/nowhere/secret'))).rejects.toThrow(
      `${key}: cannot read the file (ENOENT)`,
    )
  })

  test('a header of two lines', async () => {
    const headers_files = { 'X-Key': fileWith('a\nX-Other: b') }
    const webhook = { url: 'http://127.0.0.1:9/{principal}', headers_files }
    await expect(start(issuerWith(fileWith(SECRET)), webhook)).rejects.toThrow(
      'plugins.tenant-injector.webhook.headers_files.X-Key: its content must be one line without control characters',
    )
  })
})

test('the address of Redis is read from a file', () => {
  expect(redisUrlOf({ redis_url_file: fileWith('redis://user:pass@127.0.0.1:6379/1\n') })).toBe(
    'redis://user:pass@127.0.0.1:6379/1',
  )
  expect(redisUrlOf({ redis_url: 'redis://127.0.0.1' })).toBe('redis://127.0.0.1')
  expect(() => redisUrlOf({ redis_url_file: fileWith('http://x') })).toThrow(
    'gateway.shared.redis_url_file: its content must be an address such as redis://',
  )
})
