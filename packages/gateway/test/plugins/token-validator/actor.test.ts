import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeValidator, registered } from './make-validator.ts'

let people: IssuerServer
let agents: IssuerServer
beforeAll(async () => {
  people = await startIssuer()
  agents = await startIssuer()
})
afterAll(() => Promise.all([people.close(), agents.close()]))

async function sendAs(issuer: IssuerServer, trust: string | undefined, principal: string | undefined) {
  const issuers = [registered(people), registered(agents, { service_account: true })]
  const validator = makeValidator(trust === undefined ? { issuers } : { issuers, actor_header: trust })
  const headers: Record<string, string> = principal === undefined ? {} : { 'X-Actor-Principal': principal }
  const sent = await validator.send(await issuer.token(), { headers })
  await validator.close()
  return sent
}

test.each([
  { trust: undefined, person: 'bob', agent: 'bob' },
  { trust: 'trust', person: 'bob', agent: 'bob' },
  { trust: 'service_accounts', person: 'alice', agent: 'bob' },
  { trust: 'ignore', person: 'alice', agent: 'alice' },
])('actor_header $trust: a person acts as $person, a service account as $agent', async (row) => {
  const asPerson = (await sendAs(people, row.trust, 'bob')).exchange
  const asAgent = (await sendAs(agents, row.trust, 'bob')).exchange
  expect([asPerson.actor, asPerson.identity?.subject]).toEqual([row.person, 'alice'])
  expect([asAgent.actor, asAgent.identity?.subject]).toEqual([row.agent, 'alice'])
})

test.each([undefined, ''])('without a principal (%j) the subject of the token acts', async (principal) => {
  expect((await sendAs(people, 'trust', principal)).exchange.actor).toBe('alice')
})

test.each(['b\u00f6b', 'a\u0000', ' bob', 'b'.repeat(257)])(
  'the principal %j is refused by name',
  async (principal) => {
    const { answer, exchange } = await sendAs(people, 'trust', principal)
    expect(answer).toEqual({
      status: 422,
      mediaType: 'application/vnd.agentic.validation-error+json',
      body: {
        type: 'validation_failed',
        code: 'VALIDATION_FAILED',
        message: 'The request is not valid.',
        errors: [{ field: 'X-Actor-Principal', message: 'must be 1 to 256 printable ASCII characters' }],
        trace: { correlationId: 'corr-1', requestId: 'req-1' },
      },
    })
    expect(exchange.actor).toBe('alice')
  },
)

test('a principal whose word does not count is not even looked at', async () => {
  const { answer, exchange } = await sendAs(people, 'ignore', 'b\u00f6b')
  expect(answer).toBeUndefined()
  expect(exchange.actor).toBe('alice')
})
