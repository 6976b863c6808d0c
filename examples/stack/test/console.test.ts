import { type GatewayConfig, parseConfig } from '@agentic-rest/gateway'
import { expect, test } from 'vitest'
import { withConsole } from '../src/development-config.ts'
import { createPartEnvironment } from '../src/part-environment.ts'
import { type PartRow, parts } from '../src/parts.ts'

function read(gateway: Record<string, unknown>): GatewayConfig {
  const text = JSON.stringify({
    gateway,
    plugins: { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } },
    routes: [],
  })
  const parsed = parseConfig(text, { file: 'gateway.yaml', env: {} })
  return parsed.ok ? parsed.config : expect.fail('it is not valid')
}

const shown = (gateway: Record<string, unknown>) => {
  const { admin, cors } = withConsole(read(gateway), 9010).gateway
  return { admin, cors }
}

test('a gateway without a console gets one on this machine, and its page may call the gateway', () => {
  expect(shown({})).toEqual({
    admin: { host: '127.0.0.1', port: 9010, hosts: [], role: 'gateway:admin' },
    cors: { origins: ['http://127.0.0.1:9010', 'http://localhost:9010'] },
  })
})

test('a port in the file is kept, an open one is the one of the stack', () => {
  expect(shown({ admin: { port: 9999, role: 'operator' } })).toEqual({
    admin: { host: '127.0.0.1', port: 9999, hosts: [], role: 'operator' },
    cors: { origins: ['http://127.0.0.1:9999', 'http://localhost:9999'] },
  })
  expect(shown({ admin: { port: 0 } }).admin).toMatchObject({ port: 9010 })
})

test('what the file says for production does not open the console to others in development', () => {
  const { admin, cors } = shown({
    admin: { host: '0.0.0.0', hosts: ['console.example'] },
    cors: { origins: ['https://app.example', 'http://localhost:8090'] },
  })
  expect(admin).toMatchObject({ host: '127.0.0.1', port: 8090 })
  expect(cors).toEqual({
    origins: ['https://app.example', 'http://localhost:8090', 'http://127.0.0.1:8090'],
  })
})

test('one part serves the console, all others post their records to it', () => {
  const environmentOf = createPartEnvironment({ portBase: 9000, consoleFolder: '/page', env: {} })
  const variables = (parts as readonly PartRow[]).map((row) => {
    const { CONSOLE_PORT, CONSOLE_FOLDER, RECORDS_URL } = environmentOf(row)
    return [row.name, CONSOLE_PORT, CONSOLE_FOLDER, RECORDS_URL]
  })
  const posting = (name: string) => [
    name,
    undefined,
    undefined,
    `http://127.0.0.1:9010/api/records?part=${name}`,
  ]
  expect(variables).toEqual([
    ['gateway', '9010', '/page', undefined],
    ...['campaigns', 'recommendations', 'inventory', 'inventory-gateway', 'llm', 'identity', 'probe'].map(
      posting,
    ),
  ])
})
