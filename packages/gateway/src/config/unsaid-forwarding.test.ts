import { expect, test } from 'vitest'
import { parseConfig } from './parse-config.ts'

const validator = { issuers: [{ issuer: 'https://id.example.test', audience: ['agentic'] }] }

const closed = { 'token-validator': validator, 'tenant-injector': { allowed: ['acme'] } }

function warningsOfRoutes(routes: readonly object[], plugins: object = closed) {
  const result = parseConfig(JSON.stringify({ plugins, routes }), { file: 'gateway.yaml', env: {} })
  return result.ok ? result.warnings : result.faults
}

test('a route that forwards the token of its caller without saying so is warned of', () => {
  const route = (id: string, more: object = {}) => ({
    id,
    method: 'GET',
    path: `/${id}`,
    target: 'https://a.example.test',
    ...more,
  })
  const routes = [
    route('unsaid'),
    route('said', { forwardAuthorization: true }),
    route('withheld', { forwardAuthorization: false }),
  ]
  expect(warningsOfRoutes(routes)).toEqual([
    {
      id: 'token-forwarded',
      file: 'gateway.yaml',
      line: 1,
      column: expect.any(Number),
      path: 'routes[0].forwardAuthorization',
      message:
        "is not set, so that the service gets the caller's token and can act as the caller; set false, or true if the service needs the token",
    },
  ])
})

test('without token validation there is no token to warn of', () => {
  const routes = [{ id: 'r', method: 'GET', path: '/r', target: 'https://a.example.test' }]
  const open = { 'token-validator': { mode: 'off' }, 'tenant-injector': { trust_header: 'everyone' } }
  expect(warningsOfRoutes(routes, open)).toEqual([
    expect.objectContaining({ id: 'token-validation-off' }),
    expect.objectContaining({ id: 'tenant-open' }),
  ])
})
