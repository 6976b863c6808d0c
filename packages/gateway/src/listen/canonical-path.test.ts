import { describe, expect, it } from 'vitest'
import { canonicalTarget } from './canonical-path.ts'

const accepted = (path: string, query = '') => ({ ok: true, path, query })
const refused = (message: string) => ({ ok: false, message })

describe('the canonical form of a target', () => {
  it.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a/b.c', '/a/b.c'],
    ['/a/.b', '/a/.b'],
    ['/a/...', '/a/...'],
    ['/a..b/c..', '/a..b/c..'],
    ['/A/b', '/A/b'],
    ["/a-._~!$&'()*+,;=:@", "/a-._~!$&'()*+,;=:@"],
    ['/assets:generate', '/assets:generate'],
    ['/%41%7a%30%2D%5F%7E', '/Az0-_~'],
    ['/a%2Eb', '/a.b'],
    ['/%3b%3B', '/%3B%3B'],
    ['/%c3%a9', '/%C3%A9'],
    ['/%25', '/%25'],
    ['/%252e%252E', '/%252e%252E'],
    ['/a%20b', '/a%20b'],
    ['/"<>[]^`{|}', '/%22%3C%3E%5B%5D%5E%60%7B%7C%7D'],
    ['/__proto__/constructor', '/__proto__/constructor'],
  ])('of %s is %s', (target, path) => {
    expect(canonicalTarget(target, 'gateway')).toEqual(accepted(path))
    expect(canonicalTarget(path, 'gateway')).toEqual(accepted(path))
  })

  it.each([
    ['?', '?'],
    ['?a=1&b=2', '?a=1&b=2'],
    ['?a=%2f..%2F&b=%zz', '?a=%2f..%2F&b=%zz'],
    ['?a=/../b//c', '?a=/../b//c'],
    ['??', '??'],
    ['?"<>\\^`{|}', '?"<>\\^`{|}'],
    ['?__proto__=1&constructor=2', '?__proto__=1&constructor=2'],
  ])('keeps the query %s byte for byte', (query, same) => {
    expect(canonicalTarget(`/a${query}`, 'gateway')).toEqual(accepted('/a', same))
    expect(canonicalTarget(`/a.b/${query}`, 'gateway')).toEqual(accepted('/a.b', same))
  })

  it.each([
    ['/.', 'must not have a dot segment'],
    ['/..', 'must not have a dot segment'],
    ['/a/../b', 'must not have a dot segment'],
    ['/a/./b', 'must not have a dot segment'],
    ['/a/..', 'must not have a dot segment'],
    ['/a/..;/b', 'must not have a dot segment'],
    ['/a/%2e%2e;x=1/b', 'must not have a dot segment'],
    ['/a/..%3b/b', 'must not have a dot segment'],
    ['/%2e', 'must not have a dot segment'],
    ['/a/%2E%2e/b', 'must not have a dot segment'],
    ['/a/.%2e/b', 'must not have a dot segment'],
    ['/a%2fb', 'must not have an encoded slash or backslash'],
    ['/a%2Fb', 'must not have an encoded slash or backslash'],
    ['/a%5cb', 'must not have an encoded slash or backslash'],
    ['/%2e%2e%2fb', 'must not have an encoded slash or backslash'],
    ['/a\\b', 'must not have a backslash'],
    ['/a%00', 'must not have a control character'],
    ['/a%0d%0aX-Tenant-ID:%20evil', 'must not have a control character'],
    ['/a%7f', 'must not have a control character'],
    ['/a%c2%85', 'must not have a control character'],
    ['//', 'must not have an empty segment'],
    ['///', 'must not have an empty segment'],
    ['//a', 'must not have an empty segment'],
    ['/a//b', 'must not have an empty segment'],
    ['/a//', 'must not have an empty segment'],
    ['//evil.example/a', 'must not have an empty segment'],
    ['/a#b', 'must not have a fragment'],
    ['/a?b#c', 'must not have a fragment'],
    ['/%', 'has a percent-encoding that is not UTF-8'],
    ['/%4', 'has a percent-encoding that is not UTF-8'],
    ['/%zz', 'has a percent-encoding that is not UTF-8'],
    ['/%ff', 'has a percent-encoding that is not UTF-8'],
    ['/%c0%ae%c0%ae', 'has a percent-encoding that is not UTF-8'],
    ['/%ed%a0%80', 'has a percent-encoding that is not UTF-8'],
    ['/a?\xe9', 'has a query with a character that must be encoded'],
    ['/\xe9', 'has a character that must be percent-encoded'],
    ['*', 'must start with a slash'],
    ['', 'must start with a slash'],
    ['gateway:443', 'must start with a slash'],
    ['ftp://gateway/a', 'must start with a slash'],
  ])('of %s does not exist', (target, message) => {
    expect(canonicalTarget(target, 'gateway')).toEqual(refused(message))
  })
})

describe('a target in absolute form', () => {
  it.each([
    ['http://gateway/a?b', '/a', '?b'],
    ['HTTPS://GateWay/a/', '/a', ''],
    ['http://gateway', '/', ''],
    ['http://gateway?b', '/', '?b'],
  ])('is accepted for the host that was asked: %s', (target, path, query) => {
    expect(canonicalTarget(target, 'gateway')).toEqual(accepted(path, query))
  })

  it.each([
    'http://other/a',
    'http://gateway:81/a',
    'http://user@gateway/a',
    'http://gateway@other/a',
    'http://gateway\\.other/a',
  ])('is refused for another host: %s', (target) => {
    expect(canonicalTarget(target, 'gateway')).toEqual(refused('names another host than the Host header'))
  })

  it('is refused when no host was asked', () => {
    expect(canonicalTarget('http://gateway/a', undefined)).toEqual(
      refused('names another host than the Host header'),
    )
  })

  it('has no dot segments either', () => {
    expect(canonicalTarget('http://gateway/../a', 'gateway')).toEqual(refused('must not have a dot segment'))
    expect(canonicalTarget('http://gateway//a', 'gateway')).toEqual(refused('must not have an empty segment'))
  })
})
