import { expect, test } from 'vitest'
import { originsOf, ownEndOf } from './own-hosts.ts'

const end = (address: string, port = 8081, isSecure = false) => ({ address, port, isSecure })

test.each([
  ['an address', end('10.0.0.5'), ['http://10.0.0.5:8081']],
  ['the machine itself', end('127.0.0.1'), ['http://127.0.0.1:8081', 'http://localhost:8081']],
  ['another address of it', end('127.0.0.2'), ['http://127.0.0.2:8081', 'http://localhost:8081']],
  ['IPv6', end('fd00::5'), ['http://[fd00::5]:8081']],
  ['the machine itself by IPv6', end('::1'), ['http://[::1]:8081', 'http://localhost:8081']],
  ['IPv4 in IPv6', end('::ffff:10.0.0.5'), ['http://10.0.0.5:8081']],
  ['the usual port', end('10.0.0.5', 80), ['http://10.0.0.5']],
  ['TLS', end('10.0.0.5', 443, true), ['https://10.0.0.5']],
])('the origins of %s', (_title, own, origins) => {
  expect(originsOf(own)).toEqual(origins)
})

test('the end is that of the socket, and nothing else is one', () => {
  const bound = (socket: unknown) => ownEndOf({ incoming: { socket } })
  expect(bound({ localAddress: '::1', localPort: 1 })).toEqual(end('::1', 1))
  expect(bound({ localAddress: '::1', localPort: 1, encrypted: true })).toEqual(end('::1', 1, true))
  for (const other of [undefined, null, 'x', {}, { incoming: null }, { incoming: {} }])
    expect(ownEndOf(other)).toBeUndefined()
  expect(bound({ localAddress: undefined, localPort: 1 })).toBeUndefined()
  expect(bound({ localAddress: '::1' })).toBeUndefined()
})
