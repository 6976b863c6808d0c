import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_PORT_BASE, portOf } from '../src/index.ts'
import { createPartEnvironment } from '../src/part-environment.ts'
import { type PartRow, parts, urlVariables } from '../src/parts.ts'

const examples = join(import.meta.dirname, '../..')
const rows: readonly PartRow[] = parts

function row(name: string): PartRow {
  return rows.find((each) => each.name === name) ?? expect.fail(`there is no part ${name}`)
}

function dependenciesOf(example: string): Record<string, string> {
  return JSON.parse(readFileSync(join(examples, example, 'package.json'), 'utf8')).dependencies ?? {}
}

test('the usual ports are those of the documents', () => {
  expect(Object.fromEntries(parts.map(({ name }) => [name, portOf(name, 8080)]))).toEqual({
    gateway: 8080,
    campaigns: 8081,
    recommendations: 8082,
    inventory: 8083,
    llm: 8084,
    identity: 8085,
    probe: 8086,
    'inventory-gateway': 8180,
  })
  expect(portOf('console', 8080)).toBe(8090)
  expect(MAX_PORT_BASE + 100).toBe(65_535)
})

test('every dependency of an example is one of the stack, which is published with it', () => {
  const own = dependenciesOf('stack')
  const used = rows
    .flatMap(({ runs }) => ('example' in runs ? [runs.example] : []))
    .filter((example) => existsSync(join(examples, example, 'package.json')))
  expect(used).toEqual(expect.arrayContaining(['identity', 'llm']))
  for (const example of used) expect(own).toMatchObject(dependenciesOf(example))
})

test('each part knows where the others are', () => {
  expect(urlVariables(9000)).toEqual({
    GATEWAY_URL: 'http://127.0.0.1:9000',
    CAMPAIGNS_URL: 'http://127.0.0.1:9001',
    RECOMMENDATIONS_URL: 'http://127.0.0.1:9002',
    INVENTORY_URL: 'http://127.0.0.1:9003',
    INVENTORY_GATEWAY_URL: 'http://127.0.0.1:9100',
    LLM_URL: 'http://127.0.0.1:9004',
    IDENTITY_URL: 'http://127.0.0.1:9005',
    PROBE_URL: 'http://127.0.0.1:9006',
    CONSOLE_URL: 'http://127.0.0.1:9010',
  })
})

test('data, records and database are for each part alone', () => {
  const environmentOf = createPartEnvironment({
    portBase: 9000,
    dataFolder: '/data',
    databaseUrl: 'postgres://db/stack',
    env: { DATABASE_URL: 'postgres://db/stack' },
  })
  expect(environmentOf(row('campaigns'))).toMatchObject({
    DATA_FOLDER: '/data/campaigns',
    AUDIT_FILE: '/data/audit/campaigns.jsonl',
    DATABASE_URL: 'postgres://db/stack?options=-c+search_path%3Dagentic_campaigns',
  })
  expect(environmentOf(row('llm'))['DATABASE_URL']).toBeUndefined()
})

test('each gateway signs with its own key, and a service trusts the gateway in front of it, for itself', () => {
  const env = { TRUST_ISSUER: 'somebody', TRUST_AUDIENCE: 'anything' }
  const environmentOf = createPartEnvironment({ portBase: 9000, dataFolder: '/data', env })
  const keys = ['gateway', 'inventory-gateway'].map((name) => environmentOf(row(name))['IDENTITY_KEY_FILE'])
  expect(keys).toEqual(['/data/gateway/identity-key.pem', '/data/inventory-gateway/identity-key.pem'])
  const services = rows.filter(({ signs, issuesTokens }) => !signs && !issuesTokens)
  const trusted = services.map((each) => {
    const { TRUST_JWKS_URL, TRUST_ISSUER, TRUST_AUDIENCE } = environmentOf(each)
    return [each.name, TRUST_JWKS_URL, TRUST_ISSUER, TRUST_AUDIENCE]
  })
  const keysAt = (port: number) => `http://127.0.0.1:${port}/.well-known/agentic-jwks.json`
  expect(trusted).toEqual([
    ['campaigns', keysAt(9000), undefined, 'http://127.0.0.1:9001'],
    ['recommendations', keysAt(9000), undefined, 'http://127.0.0.1:9002'],
    ['inventory', keysAt(9100), undefined, 'http://127.0.0.1:9003'],
    ['llm', keysAt(9000), undefined, 'http://127.0.0.1:9004'],
    ['probe', keysAt(9000), undefined, 'http://127.0.0.1:9006'],
  ])
})

test('without a folder nothing is kept, whatever the surroundings say', () => {
  const env = { DATA_FOLDER: '/elsewhere', AUDIT_FILE: '/elsewhere', DATABASE_URL: 'postgres://elsewhere' }
  const variables = createPartEnvironment({ portBase: 9000, env })(row('campaigns'))
  for (const name of ['DATA_FOLDER', 'AUDIT_FILE', 'DATABASE_URL']) expect(variables[name]).toBeUndefined()
})

test('an agent and the issuer know the same secret, which is new each time', () => {
  const secretOf = () => {
    const environmentOf = createPartEnvironment({ portBase: 9000, env: {} })
    const agent = environmentOf(row('recommendations'))
    expect(agent).toMatchObject({
      SERVICE_ACCOUNT_ID: 'recommendations',
      SERVICE_ACCOUNT_TOKEN_URL: 'http://127.0.0.1:9005/service-accounts/token',
    })
    const { SERVICE_ACCOUNTS = '' } = environmentOf(row('identity'))
    expect(JSON.parse(SERVICE_ACCOUNTS)).toEqual({ recommendations: agent['SERVICE_ACCOUNT_SECRET'] })
    return agent['SERVICE_ACCOUNT_SECRET']
  }
  expect(secretOf()).not.toBe(secretOf())
})
