import { expect, test } from 'vitest'
import { startGateway } from './harness/start-gateway.ts'

const OFF = 'plugins.token-validator.mode: is off, every request is accepted without a token'

test('a gateway logs each warning of its configuration exactly once, whoever made it', async () => {
  const { log } = await startGateway({ routes: [] })
  expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([OFF])
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
