import { expect, test } from 'vitest'
import { formatFaults } from '../../src/config/faults.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

function read(host: string): string {
  const text = `{ gateway: { host: "${host}" }, plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone } }, routes: [] }`
  const result = parseConfig(text, { file: 'gateway.yaml', env: {} })
  return result.ok ? result.config.gateway.host : formatFaults(result.faults)
}

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '::',
  '::1',
  'fe80::1',
  '::ffff:127.0.0.1',
  'localhost',
  'my_host',
  'a.b-c.test',
])('%s is a host', (host) => {
  expect(read(host)).toBe(host)
})

test.each([
  '',
  ' ',
  '127.0.0.1:80',
  '[::1]',
  '::1:x',
  '999.1.1.1',
  'a b',
  '-a',
  'a..b',
  'a/b',
  'http://a',
  'a@b',
  '*',
])('"%s" is no host', (host) => {
  expect(read(host)).toBe(
    'gateway.yaml:1:20: gateway.host: must be a host name or an IP address, without a port',
  )
})
