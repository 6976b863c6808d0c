import { startGateway } from '@agentic-rest/testing/start-gateway'
import { expect, test } from 'vitest'

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

test('a gateway that sends tokens to another host without TLS says so at the start', async () => {
  const { log } = await startGateway({
    plugins: {
      'token-validator': {
        issuers: [
          {
            issuer: 'tests',
            audience: ['agentic'],
            algorithms: ['HS256'],
            hs256_secret: 'x'.repeat(32),
          },
        ],
      },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://192.0.2.1' }],
  })
  expect(log.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({
      warning: 'plain-connection',
      msg: 'routes[0].target: has no TLS and is another host, the tokens of callers can be read; use https, or set forwardAuthorization to false',
    }),
  ])
})
