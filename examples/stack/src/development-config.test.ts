import { type GatewayConfig, parseConfig } from '@agentic-rest/gateway'
import { expect, test } from 'vitest'
import { developmentConfig, mcpResource, withStateSecret } from './development-config.ts'

function configOf(gateway: object, mcp?: object): GatewayConfig {
  const issuers = [{ issuer: 'https://id.example.test', audience: ['https://agents.example.test/mcp'] }]
  const plugins = { 'token-validator': { issuers } }
  const text = JSON.stringify({ gateway, plugins, routes: [], ...(mcp && { mcp }) })
  const parsed = parseConfig(text, { file: 'gateway.yaml', env: {} })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  return parsed.config
}

const issuer = 'http://127.0.0.1:8085'
const audienceOf = (config: GatewayConfig) =>
  developmentConfig(config, { issuer, port: 8080 }).plugins['token-validator'].issuers.map(
    ({ audience }) => audience,
  )

test.each([
  ['no endpoint', {}, undefined, undefined],
  [
    'the address of the file',
    {},
    { public_url: 'https://agents.example.test/mcp' },
    'https://agents.example.test/mcp',
  ],
  ['the port of the stack', { port: 0 }, {}, 'http://127.0.0.1:8080/mcp'],
  ['its own port and path', { host: '::1', port: 9000 }, { path: '/tools' }, 'http://[::1]:9000/tools'],
])('tokens of development are good for %s', (_title, gateway, mcp, resource) => {
  const config = configOf(gateway, mcp)
  expect(audienceOf(config)).toEqual([
    ['https://agents.example.test/mcp'],
    resource === undefined ? ['agentic'] : ['agentic', resource],
  ])
  expect(mcpResource(developmentConfig(config, { issuer, port: 8080 }))).toBe(resource)
})

test('the secret of the stack seals state unless the file has its own', () => {
  const [secret, own] = ['s'.repeat(64), 'o'.repeat(64)]
  expect(withStateSecret(configOf({}, {}), secret).mcp?.state_secrets).toEqual([secret])
  expect(withStateSecret(configOf({}, { state_secrets: [own] }), secret).mcp?.state_secrets).toEqual([own])
  expect(withStateSecret(configOf({}), secret)).not.toHaveProperty('mcp')
})
