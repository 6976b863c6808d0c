import { expect, it } from 'vitest'
import { createHostCheck } from './own-hosts.ts'

const isOwn = createHostCheck({ host: '0.0.0.0', hosts: ['Campaigns', 'api.example.com', 'fd00::1'] })

it.each<[string, string | undefined, boolean]>([
  ['http://localhost:8081', '127.0.0.1', true],
  ['http://LOCALHOST', undefined, true],
  ['http://127.0.0.1:8081', '127.0.0.1', true],
  ['http://10.0.0.7:8081', '10.0.0.7', true],
  ['http://10.0.0.7', '::ffff:10.0.0.7', true],
  ['http://[::1]:8081', '::1', true],
  ['http://[fe80::1]', 'fe80:0:0::1', true],
  ['http://campaigns:8081', '10.0.0.7', true],
  ['http://API.example.com', '10.0.0.7', true],
  ['http://[fd00:0::1]', '10.0.0.7', true],
  ['http://10.0.0.8:8081', '10.0.0.7', false],
  ['http://rebound.example', '127.0.0.1', false],
  ['http://campaigns.rebound.example', '127.0.0.1', false],
  ['http://localhost.rebound.example', '127.0.0.1', false],
  ['http://127.0.0.1.rebound.example', '127.0.0.1', false],
  ['http://127.0.0.1:8081', undefined, false],
])('%s at %s: %s', (url, localAddress, expected) => {
  expect(isOwn(new URL(url), localAddress)).toBe(expected)
})

it('the name that it listens on is its own', () => {
  expect(
    createHostCheck({ host: 'db.internal', hosts: [] })(new URL('http://db.internal:1'), '10.0.0.7'),
  ).toBe(true)
})

it.each(['http://a', 'a:8081', 'a:80', 'a/b', 'a?b', 'u@a', '', ' ', '[::1]:80', '*:1'])(
  '%j is no host',
  (host) => {
    expect(() => createHostCheck({ host: '127.0.0.1', hosts: [host] })).toThrow(
      `a host is a name or an address without scheme, port and path, not "${host}"`,
    )
  },
)
