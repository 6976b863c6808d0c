import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from '../harness/expect-outcome.ts'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

async function startIssuers(): Promise<[IssuerServer, IssuerServer]> {
  const issuers: [IssuerServer, IssuerServer] = [await startIssuer(), await startIssuer()]
  onTestFinished(async () => void (await Promise.all(issuers.map((issuer) => issuer.close()))))
  return issuers
}

async function start(first: readonly IssuerServer[]) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const config = (issuers: readonly IssuerServer[]) => ({
    plugins: {
      'token-validator': {
        issuers: issuers.map(({ url, jwksUri }) => ({
          issuer: url,
          jwks_uri: jwksUri,
          algorithms: ['EdDSA'],
        })),
      },
    },
    routes: [itemRoute(upstream.url)],
  })
  const gateway = await startReloadable(config(first))
  const send = (token: string) =>
    fetch(`${gateway.url}/items`, {
      headers: { Authorization: `Bearer ${token}`, 'X-Tenant-ID': 'acme' },
    })
  return {
    ...gateway,
    send,
    reloadWith: (issuers: readonly IssuerServer[]) => gateway.reloadTo(config(issuers)),
  }
}

test('a removed issuer is refused at once, also for a token that was just accepted', async () => {
  const [kept, removed] = await startIssuers()
  const gateway = await start([kept, removed])
  const [keptToken, removedToken] = [
    await kept.token({ claims: { tenant_id: 'acme' } }),
    await removed.token({ claims: { tenant_id: 'acme' } }),
  ]
  for (const token of [keptToken, removedToken]) expect((await gateway.send(token)).status).toBe(200)
  expect(await gateway.reloadWith([kept])).toMatchObject(applied)
  expectRefusal(await readFetched(await gateway.send(removedToken)), 401, 'UNKNOWN_ISSUER')
  expect((await gateway.send(keptToken)).status).toBe(200)
})

test('a new issuer is used when its keys are there: no request meets one without', async () => {
  const [kept, added] = await startIssuers()
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>()
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  added.answer = async (_request, response) => {
    tellAsked()
    await mayAnswer
    answerJson(response, { body: { keys: added.published } })
  }
  const gateway = await start([kept])
  const token = await added.token({ claims: { tenant_id: 'acme' } })
  const reloading = gateway.reloadWith([kept, added])
  await asked
  // It is not in use yet, so nobody waits for it either.
  expectRefusal(await readFetched(await gateway.send(token)), 401, 'UNKNOWN_ISSUER')
  letAnswer()
  expect(await reloading).toMatchObject(applied)
  expect((await gateway.send(token)).status).toBe(200)
})

test('an issuer that is down during a reload is not felt: its keys outlast the reload', async () => {
  const [issuer] = await startIssuers()
  const gateway = await start([issuer])
  const token = await issuer.token({ claims: { tenant_id: 'acme' } })
  expect((await gateway.send(token)).status).toBe(200)
  issuer.answer = (_request, response) => void response.writeHead(500).end()
  expect(await gateway.reloadWith([issuer])).toMatchObject(applied)
  expect((await gateway.send(token)).status).toBe(200)
})

test('a reload fetches keys anew, so that a key that its issuer has removed ends with it', async () => {
  const [issuer] = await startIssuers()
  const gateway = await start([issuer])
  const token = await issuer.token({ claims: { tenant_id: 'acme' } })
  expect((await gateway.send(token)).status).toBe(200)
  await issuer.rotate()
  expect(await gateway.reloadWith([issuer])).toMatchObject(applied)
  expectRefusal(await readFetched(await gateway.send(token)), 401, 'INVALID_TOKEN')
})
