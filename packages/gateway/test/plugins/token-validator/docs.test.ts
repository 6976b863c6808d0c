import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/parse-config.ts'
import { errorCodes } from '../../../src/errors.ts'
import { makeValidator, refusedWith, type TestValidator } from './make-validator.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/plugins/token-validator.md'), 'utf8')

let people: IssuerServer
let agents: IssuerServer
let validator: TestValidator
let roles: readonly string[]
beforeAll(async () => {
  people = await startIssuer()
  agents = await startIssuer()
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? []
  const local = yaml
    .replaceAll('http://127.0.0.1:8085', people.url)
    .replaceAll('http://127.0.0.1:8088', agents.url)
  const result = parseConfig(local, { file: 'token-validator.md', env: {} })
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  validator = makeValidator({ ...result.config.plugins['token-validator'] })
  roles = result.config.routes[0]?.roles ?? []
})
afterAll(() => Promise.all([people.close(), agents.close(), validator.close()]))

test('the example does what its page says', async () => {
  const headers = { 'X-Actor-Principal': 'bob' }
  const claims = { client_id: 'c', realm_access: { roles: ['campaign:optimize'] } }
  const person = await validator.send(await people.token({ claims }), { headers, roles })
  expect(person.answer).toBeUndefined()
  expect([person.exchange.actor, person.exchange.identity?.tenantClaim]).toEqual(['alice', 'org.id'])
  expect(people.requests).toEqual(['/.well-known/openid-configuration', '/jwks'])
  const agentToken = await agents.token({ claims: { client_id: 'c', roles } })
  const agent = await validator.send(agentToken, { headers, roles })
  expect(agent.answer).toBeUndefined()
  expect([agent.exchange.actor, agent.exchange.identity?.serviceAccount]).toEqual(['bob', true])
  const without = await people.token({ claims: { ...claims, client_id: undefined } })
  expect((await validator.send(without)).answer).toEqual(refusedWith('REQUIRED_CLAIM_MISSING'))
  const wrongType = await agents.token({ claims: { client_id: 'c' }, header: { typ: 'JWT' } })
  expect((await validator.send(wrongType)).answer).toEqual(refusedWith('INVALID_TOKEN'))
})

test('the codes that the page lists are the codes of the plugin', () => {
  const [codes = '', ...rest] = page.split('### The causes of an invalid token')
  expect(rest).toHaveLength(1)
  const listed = [...codes.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  const own = Object.entries(errorCodes).filter(
    ([code, row]) =>
      'challenge' in row ||
      ['INSUFFICIENT_ROLES', 'JWKS_UNAVAILABLE', 'INTROSPECTION_UNAVAILABLE'].includes(code),
  )
  expect(listed).toEqual(own.map(([code]) => code))
})
