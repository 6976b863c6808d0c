import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { applied, itemRoute, startReloadable } from './start-reloadable.ts'

/** A gateway whose next reload waits for an issuer until it is let go. */
async function startWaiting() {
  const issuer = await startIssuer()
  onTestFinished(() => issuer.close())
  const asked = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<void>()
  issuer.answer = async (_request, response) => {
    asked.resolve()
    await mayAnswer.promise
    answerJson(response, { body: { keys: issuer.published } })
  }
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const issuers = [{ issuer: issuer.url, jwks_uri: issuer.jwksUri, algorithms: ['EdDSA'] }]
  const waiting = { plugins: { 'token-validator': { issuers } }, routes: [itemRoute(upstream.url)] }
  const gateway = await startReloadable({ routes: [] })
  return { ...gateway, waiting, target: upstream.url, asked: asked.promise, letAnswer: mayAnswer.resolve }
}

test('reloads asked for during one share the next, which reads the file after it', async () => {
  const gateway = await startWaiting()
  const first = gateway.reloadTo(gateway.waiting)
  await gateway.asked
  gateway.write({ routes: [{ ...itemRoute(gateway.target), id: 'newest' }] })
  const others = [gateway.gateway.reload(), gateway.gateway.reload(), gateway.gateway.reload()]
  gateway.letAnswer()
  const results = await Promise.all([first, ...others])
  for (const result of results) expect(result).toMatchObject(applied)
  expect(gateway.reads).toHaveLength(2)
  const response = await fetch(`${gateway.url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  expect(gateway.audit).toMatchObject([{ operation: 'newest' }])
})

test('a gateway that closes during a reload keeps to the end what it had', async () => {
  const gateway = await startWaiting()
  const reloading = gateway.reloadTo(gateway.waiting)
  await gateway.asked
  const closed = gateway.gateway.close()
  expect(await reloading).toMatchObject({ result: 'refused', faults: ['the gateway is going down'] })
  await closed
})
