import { expect, it } from 'vitest'
import { createClientPath } from './client-address.ts'

const seen = (clientAddress: string, forwarded?: string) => ({
  clientAddress,
  headers: { 'x-forwarded-for': forwarded },
})

it('is the address of the connection without trusted proxies, whatever the header says', () => {
  expect(createClientPath([])(seen('192.0.2.1', '198.51.100.7'))).toEqual(['192.0.2.1'])
})

const behind = createClientPath(['10.0.0.0/8', '2001:db8::/32', '192.0.2.9'])

it.each([
  ['a stranger is believed nothing', '198.51.100.7', '203.0.113.1', '198.51.100.7'],
  ['one proxy', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
  ['a proxy of one address', '192.0.2.9', '203.0.113.1', '203.0.113.1'],
  ['a chain of proxies', '10.0.0.1', '203.0.113.1, 10.2.2.2', '203.0.113.1'],
  ['an invented entry on the left', '10.0.0.1', '1.1.1.1, 203.0.113.1, 10.2.2.2', '203.0.113.1'],
  ['IPv6', '2001:db8::1', '2001:4860::8888', '2001:4860::8888'],
  ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
  ['an entry that is no address', '10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
  ['proxies only', '10.0.0.1', '10.1.1.1', '10.1.1.1'],
])('finds the client behind trusted proxies: %s', (_title, connection, forwarded, client) => {
  expect(behind(seen(connection, forwarded))[0]).toBe(client)
})

it('names the proxies behind the client, and nothing that the client wrote', () => {
  expect(behind(seen('10.0.0.1', '1.1.1.1, 203.0.113.1, 10.2.2.2'))).toEqual([
    '203.0.113.1',
    '10.2.2.2',
    '10.0.0.1',
  ])
})
