import { startService } from '@agentic-rest/testing/start-service'
import { answerTyped, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { type CallIdentity, defineOperation, serviceAccount, success } from '../src/index.ts'
import { ask } from './harness/ask.ts'

const nobody = { authorization: undefined }

/** A token server that counts its tokens. */
async function startTokens(
  answer: (count: number) => [status: number, body: unknown] = (count) => [200, token(count)],
) {
  let count = 0
  const server = await startUpstream((_request, response) => {
    count += 1
    const [status, body] = answer(count)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return { ...server, tokenUrl: `${server.url}/token` }
}

function token(count: number, more: object = {}) {
  return { access_token: `t${count}`, token_type: 'Bearer', expires_in: 300, ...more }
}

const account = { clientId: 'agent a', clientSecret: 's:e/c%r+et' }

it('asks as OAuth 2.0 says, with encoded credentials and what was configured', async () => {
  const { tokenUrl, requests } = await startTokens()
  const identity = serviceAccount({ ...account, tokenUrl, scope: 'stock:read', audience: 'inventory' })
  expect(await identity.authorization(nobody)).toBe('Bearer t1')
  const [request] = requests as [ReceivedRequest]
  expect(request.method).toBe('POST')
  expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(request.headers['authorization']).toBe(`Basic ${btoa('agent+a:s%3Ae%2Fc%25r%2Bet')}`)
  expect(Object.fromEntries(new URLSearchParams(request.body.toString()))).toEqual({
    grant_type: 'client_credentials',
    scope: 'stock:read',
    audience: 'inventory',
  })
})

describe('a token', () => {
  it('is fetched once for many callers', async () => {
    const { tokenUrl, requests } = await startTokens()
    const identity = serviceAccount({ ...account, tokenUrl })
    const values = await Promise.all(Array.from({ length: 50 }, () => identity.authorization(nobody)))
    expect(new Set(values)).toEqual(new Set(['Bearer t1']))
    expect(requests).toHaveLength(1)
  })

  it('is kept until shortly before its end, and then fetched once again', async () => {
    let now = 1_000_000
    const { tokenUrl, requests } = await startTokens()
    const identity = serviceAccount({ ...account, tokenUrl, now: () => now })
    await identity.authorization(nobody)
    now += 269_000
    expect(await identity.authorization(nobody)).toBe('Bearer t1')
    now += 2_000
    const values = await Promise.all(Array.from({ length: 10 }, () => identity.authorization(nobody)))
    expect(new Set(values)).toEqual(new Set(['Bearer t2']))
    expect(requests).toHaveLength(2)
  })

  it('that lives shortly is used for half of its life', async () => {
    let now = 0
    const { tokenUrl } = await startTokens((count) => [200, token(count, { expires_in: 20 })])
    const identity = serviceAccount({ ...account, tokenUrl, now: () => now })
    await identity.authorization(nobody)
    now += 9_999
    expect(await identity.authorization(nobody)).toBe('Bearer t1')
    now += 2
    expect(await identity.authorization(nobody)).toBe('Bearer t2')
  })

  it('that was refused is not used again', async () => {
    const { tokenUrl } = await startTokens()
    const inner = await startUpstream((request, response) => {
      const isOld = request.headers['authorization'] === 'Bearer t1'
      const refused = { type: 'error', code: 'INVALID_TOKEN', message: 'm' }
      if (isOld) answerTyped(request, response, [401, 'application/vnd.agentic.error+json', refused])
      else
        answerTyped(request, response, [200, 'application/json', { token: request.headers['authorization'] }])
    })
    const { send } = await startCaller(inner.url, serviceAccount({ ...account, tokenUrl }))
    expect((await send()).inner).toMatchObject({ type: 'error', condition: 'unauthenticated' })
    expect((await send()).inner).toEqual({ type: 'success', body: { token: 'Bearer t2' } })
  })
})

describe('without a token the call is a failed dependency', () => {
  it.each<[string, [number, unknown]]>([
    ['the server refuses', [401, { error: 'invalid_client' }]],
    ['the server fails', [500, 'oops']],
    ['the answer is no JSON', [200, '<html>']],
    ['the answer has no token', [200, { token_type: 'Bearer' }]],
    ['the token is of another type', [200, { access_token: 't', token_type: 'mac' }]],
    ['the answer is too long', [200, { ...token(1), padding: 'x'.repeat(70_000) }]],
  ])('when %s, and the next call tries again', async (_title, answer) => {
    let isBroken = true
    const { tokenUrl } = await startTokens((count) => (isBroken ? answer : [200, token(count)]))
    const inner = await startUpstream((request, response) =>
      answerTyped(request, response, [200, 'application/json', { done: true }]),
    )
    const { send, log } = await startCaller(inner.url, serviceAccount({ ...account, tokenUrl }))
    const failed = await send()
    expect(failed.inner).toMatchObject({ type: 'failed_dependency', code: 'DEPENDENCY_IDENTITY_UNAVAILABLE' })
    expect(JSON.stringify([failed.text, log.map(({ fields }) => String(fields['cause']))])).not.toContain(
      's:e',
    )
    expect(inner.requests).toEqual([])
    isBroken = false
    expect((await send()).inner).toEqual({ type: 'success', body: { done: true } })
  })

  it('when the server sends the credentials elsewhere', async () => {
    const elsewhere = await startTokens()
    const server = await startUpstream((_request, response) =>
      response.writeHead(307, { location: elsewhere.tokenUrl }).end(),
    )
    const identity = serviceAccount({ ...account, tokenUrl: server.url })
    await expect(identity.authorization(nobody)).rejects.toThrow()
    expect(elsewhere.requests).toEqual([])
  })
})

async function startCaller(baseUrl: string, identity: CallIdentity) {
  const operation = defineOperation({
    id: 'op',
    method: 'POST',
    path: '/op',
    run: async ({ call }) => success({ inner: await call({ baseUrl, method: 'GET', path: '/x' }) }),
  })
  const { url, log } = await startService({ operations: [operation], identity })
  const send = async () => {
    const { text } = await ask(`${url}/op`, { method: 'POST' })
    return { text, inner: JSON.parse(text).inner }
  }
  return { send, log }
}
