import { expect, it } from 'vitest'
import { makeContext, makeExchange } from '../../test/plugins/make-exchange.ts'
import type { Exchange } from '../exchange.ts'
import { createReasonLog } from './reason-log.ts'

const refused = (status: number, code: string, more: Partial<Exchange> = {}) =>
  makeExchange({
    result: { status, label: 'error', outcomeType: 'error' },
    reason: { code, rule: 'r', cause: 'ECONNREFUSED', step: 'upstream' },
    ...more,
  })

it.each([
  [401, 'info', 'a request was refused'],
  [429, 'info', 'a request was refused'],
  [424, 'warn', 'a request could not be served'],
  [503, 'warn', 'a request could not be served'],
])('tells %d at %s with ids, route, code, rule, cause and step', (status, level, message) => {
  const { log, lines } = makeContext()
  createReasonLog(log).tell(refused(status, 'CODE'))
  const fields = {
    request_id: 'req-1',
    correlation_id: 'corr-1',
    route: 'create-optimization',
    status,
    code: 'CODE',
    rule: 'r',
    cause: 'ECONNREFUSED',
    step: 'upstream',
  }
  expect(lines).toEqual([{ level, message, fields }])
})

it('tells the rules that a delivered answer broke', () => {
  const { log, lines } = makeContext()
  const exchange = refused(200, '', { reason: undefined, violations: ['media_type', 'schema.type'] })
  createReasonLog(log).tell(exchange)
  expect(lines).toEqual([
    expect.objectContaining({ level: 'info', message: 'an answer broke a rule of the profile' }),
  ])
  expect(lines[0]?.fields).toMatchObject({ rule: 'media_type,schema.type', status: 200 })
})

it('writes ten lines per code and second, and says how many requests had none', () => {
  const { log, lines } = makeContext()
  let now = 0
  const reasonLog = createReasonLog(log, () => now)
  for (let count = 0; count < 1000; count += 1) reasonLog.tell(refused(404, 'ROUTE_NOT_FOUND'))
  reasonLog.tell(refused(424, 'UPSTREAM_UNAVAILABLE'))
  expect(lines).toHaveLength(11)
  now = 1000
  reasonLog.tell(refused(404, 'ROUTE_NOT_FOUND'))
  reasonLog.tell(refused(404, 'ROUTE_NOT_FOUND'))
  expect(lines.slice(11).map(({ fields }) => fields['untold'])).toEqual([990, undefined])
})

it('tells malformed requests by status, at most ten lines a second', () => {
  const { log, lines } = makeContext()
  const at = { now: 0 }
  const reasons = createReasonLog(log, () => at.now)
  const refusedWith = (status: number) =>
    reasons.tellMalformed({ status, cause: 'HPE_HEADER_OVERFLOW', clientAddress: '192.0.2.7' })
  for (let count = 0; count < 15; count += 1) refusedWith(431)
  refusedWith(400)
  at.now = 1000
  refusedWith(431)
  const line = (status: number, more = {}) => ({
    level: 'info',
    message: 'a malformed request was refused',
    fields: { status, cause: 'HPE_HEADER_OVERFLOW', client_address: '192.0.2.7', ...more },
  })
  expect(lines).toEqual([...Array(10).fill(line(431)), line(400), line(431, { untold: 5 })])
})
