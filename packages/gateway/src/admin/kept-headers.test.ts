import { expect, test } from 'vitest'
import { keepHeaders, readKeptHeaders } from './kept-headers.ts'

const kept = (rawHeaders: string[], sentHeaders: string[] = []) =>
  readKeptHeaders(keepHeaders({ rawHeaders, sentHeaders }))

test('listed headers are kept, secrets without their values, others not at all', () => {
  const secret = 'a-secret-value'
  const headers = kept(
    [
      'Host',
      secret,
      'accept',
      'application/json',
      'Authorization',
      `Bearer ${secret}`,
      'COOKIE',
      secret,
      'X-Approval-Token',
      secret,
      'DPoP',
      secret,
      'Idempotency-Key',
      secret,
      'X-Api-Key',
      secret,
      'X-Anything',
      secret,
      'X-Tenant-ID',
      '',
    ],
    [
      'Content-Type',
      'application/json',
      'Location',
      `/approvals/1?token=${secret}#${secret}`,
      'Set-Cookie',
      secret,
    ],
  )
  expect(headers).toEqual({
    request: [
      { name: 'accept', value: 'application/json' },
      { name: 'Authorization', value: '[hidden]' },
      { name: 'COOKIE', value: '[hidden]' },
      { name: 'X-Approval-Token', value: '[hidden]' },
      { name: 'DPoP', value: '[hidden]' },
      { name: 'Idempotency-Key', value: '[hidden]' },
      { name: 'X-Tenant-ID', value: '' },
    ],
    response: [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Location', value: '/approvals/1' },
      { name: 'Set-Cookie', value: '[hidden]' },
    ],
  })
  expect(JSON.stringify(headers)).not.toContain(secret)
})

test('many long headers take little memory', () => {
  const long = Array.from({ length: 100 }, () => ['Accept', 'x'.repeat(10_000)]).flat()
  expect(keepHeaders({ rawHeaders: long, sentHeaders: long }).length).toBeLessThan(5200)
  expect(kept(long, long)).toMatchObject({ request: { length: 20 }, response: { length: 20 } })
})

test('no headers are none', () => {
  expect(kept([])).toEqual({ request: [], response: [] })
})

test.each([
  ['https://user:pass@files.example.com/a@b?x=1', 'https://files.example.com/a@b'],
  ['//user@files.example.com/a#b', '//files.example.com/a'],
  ['/people/@alice', '/people/@alice'],
])('Location %s is kept as %s', (value, shown) => {
  expect(kept([], ['Location', value]).response).toEqual([{ name: 'Location', value: shown }])
})
