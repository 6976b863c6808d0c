import { expect, test } from 'vitest'
import { startGateway } from './harness/start-gateway.ts'

const OFF = 'plugins.token-validator.mode: is off, every request is accepted without a token'
const OPEN =
  'plugins.tenant-injector.trust_header: is everyone, a caller without a tenant claim is let into any tenant that the X-Tenant-ID header names; put a tenant claim into the tokens or ask a directory by webhook'

test('a gateway logs each warning of its configuration exactly once, whoever made it', async () => {
  const { log } = await startGateway({ routes: [] })
  expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([OFF, OPEN])
})

test('an issuer without an audience is warned of once', async () => {
  const { log } = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [{ issuer: 'tests', algorithms: ['HS256'], hs256_secret: 'x'.repeat(32) }],
      },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [],
  })
  expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
    'plugins.token-validator.issuers[0].audience: is empty, tokens that this issuer made for other services are accepted too',
  ])
})
