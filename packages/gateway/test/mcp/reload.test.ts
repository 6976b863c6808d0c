import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { applied, startReloadable } from '../reload/start-reloadable.ts'
import { askingConfig, call, messagesOf, openSession, send } from './asking-service.ts'

const secret = 'a shared secret of the tests, long enough'
const kept = 'https://id.example.test'
const removed = 'https://removed.example.test'

function tokenOf(issuer: string): Promise<string> {
  return new SignJWT({ tenant_id: 'acme' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject('alice')
    .setExpirationTime('1h')
    .sign(Buffer.from(secret))
}

async function waitingCall(url: string, issuer: string) {
  const headers = await openSession(url, { Authorization: `Bearer ${await tokenOf(issuer)}` })
  const messages = messagesOf(await send(url, { body: { id: 1, ...call }, headers }))
  const { value: asked } = await messages.next()
  const result = { action: 'accept', content: { goal: 'ctr' } }
  const next = async () => (await messages.next()).value
  return { next, answer: () => send(url, { body: { id: asked.id, result }, headers }) }
}

test('a waiting call outlives a reload, unless the issuer of its token is removed', async () => {
  const { config } = await askingConfig({})
  const configOf = (...issuers: string[]) => ({
    ...config,
    plugins: {
      'token-validator': {
        issuers: issuers.map((issuer) => ({
          issuer,
          audience: ['agentic'],
          algorithms: ['HS256'],
          hs256_secret: secret,
        })),
      },
      'tenant-injector': { allowed: ['acme'] },
    },
  })
  const { url, reloadTo } = await startReloadable(configOf(kept, removed))
  const lasting = await waitingCall(url, kept)
  const ended = await waitingCall(url, removed)
  expect(await reloadTo(configOf(kept))).toMatchObject(applied)
  expect(await ended.next()).toMatchObject({ id: 1, error: { message: 'Cancelled' } })
  expect((await ended.answer()).statusCode).toBe(401)
  expect((await lasting.answer()).statusCode).toBe(202)
  expect(await lasting.next()).toMatchObject({ id: 1, result: { structuredContent: { goal: 'ctr' } } })
})
