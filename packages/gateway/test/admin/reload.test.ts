import { configText, type TestConfig } from '@agentic-rest/testing/config-text'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { type ConfigResult, parseConfig } from '../../src/index.ts'
import { development, startAdmin } from './harness/start-admin.ts'

const secret = 'a shared secret of the tests, long enough'

function source(config: () => TestConfig, env: Record<string, string> = {}) {
  const file = 'gateway.yaml'
  const read = (): ConfigResult => parseConfig(configText(config()), { file, env })
  return { file, read }
}

const asked = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('content-type'),
  body: await response.json(),
})

test('POST /api/reload reads the file again, and the console shows the result', async () => {
  const state: { config: TestConfig } = { config: { gateway: { admin: { port: 0 } }, routes: [] } }
  const { adminUrl } = await startAdmin({ admin: { development }, source: source(() => state.config) })
  const reload = async () => asked(await fetch(`${adminUrl}/api/reload`, { method: 'POST' }))
  const lastReload = async () => {
    const body = await (await fetch(`${adminUrl}/api/gateway`)).json()
    return (body as { configuration: { lastReload: unknown } }).configuration.lastReload
  }
  const answer = (body: object) => ({ status: 200, type: 'application/json', body })
  const at = expect.stringMatching(/Z$/)
  expect(await reload()).toEqual(answer({ at, result: 'applied', faults: [] }))
  expect(await lastReload()).toEqual({ at, result: 'applied', faults: [] })
  expect(await (await fetch(`${adminUrl}/api/routes`)).json()).toMatchObject({ routes: [] })
  state.config = { gateway: { admin: { port: 1 } }, routes: [] }
  const faults = [
    expect.stringMatching(/^gateway\.yaml:1:\d+: gateway\.admin: cannot change without a restart$/),
  ]
  expect(await reload()).toEqual(answer({ at, result: 'refused', faults }))
  expect(await lastReload()).toEqual({ at, result: 'refused', faults })
})

test('console and log show every warning of the file once, and a reload shows its own', async () => {
  const issuer = (key: string) => ({ issuer: 'https://id.test', algorithms: ['HS256'], hs256_secret: key })
  const configOf = (key: string): TestConfig => ({
    gateway: { admin: { port: 0 } },
    plugins: {
      'token-validator': { required_claims: ['tenant_id'], issuers: [{ ...issuer(key), audience: ['a'] }] },
    },
    routes: [],
  })
  const state = { config: configOf(secret) }
  const own = source(() => state.config, { SECRET: secret })
  const loaded = own.read()
  if (!loaded.ok) return expect.fail('the configuration is not valid')
  const { adminUrl, log } = await startAdmin({
    config: configOf(secret),
    warnings: loaded.warnings,
    source: own,
  })
  const shown = async () => {
    const body = await (await fetch(`${adminUrl}/api/gateway`)).json()
    return (body as { configuration: { warnings: string[] } }).configuration.warnings
  }
  const ofConfig =
    'gateway.admin: has no role, so that nobody is let in outside development; name the role that a token needs'
  const ofFile =
    'plugins.token-validator.issuers[0].hs256_secret: is a secret in plain text, take it from the environment: ' +
    '${NAME:?is needed}'
  expect(await shown()).toEqual([ofConfig, ofFile])
  expect(log.filter(({ warning }) => warning !== undefined).map(({ msg }) => msg)).toEqual([ofConfig, ofFile])
  state.config = configOf('${SECRET}')
  await fetch(`${adminUrl}/api/reload`, { method: 'POST' })
  expect(await shown()).toEqual([ofConfig])
})

test('outside development a reload needs a token with the role; a token of a removed issuer is refused at once', async () => {
  const issuerOf = (name: string) => ({
    issuer: `https://${name}.test`,
    algorithms: ['HS256'],
    hs256_secret: secret,
  })
  const config = (names: readonly string[]): TestConfig => ({
    gateway: { admin: { port: 0, role: 'gateway:admin' } },
    plugins: { 'token-validator': { issuers: names.map(issuerOf) } },
    routes: [],
  })
  const { adminUrl, log } = await startAdmin({
    admin: {},
    settings: { role: 'gateway:admin' },
    config: { plugins: config(['kept', 'removed']).plugins ?? {} },
    source: source(() => config(['kept'])),
  })
  const tokenOf = (name: string, roles: readonly string[]) =>
    new SignJWT({ roles })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(`https://${name}.test`)
      .setSubject('operator')
      .setExpirationTime('1m')
      .sign(Buffer.from(secret))
  const reload = async (token: string | undefined) =>
    asked(
      await fetch(`${adminUrl}/api/reload`, {
        method: 'POST',
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      }),
    )
  const admin = await tokenOf('removed', ['gateway:admin'])
  expect(await reload(undefined)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  expect(await reload(await tokenOf('kept', ['x']))).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  })
  expect(log).not.toContainEqual(expect.objectContaining({ msg: 'the configuration was reloaded' }))
  expect(await reload(admin)).toMatchObject({ status: 200, body: { result: 'applied' } })
  expect(await reload(admin)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } })
  expect(await reload(await tokenOf('kept', ['gateway:admin']))).toMatchObject({ status: 200 })
})
