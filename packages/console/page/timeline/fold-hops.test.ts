import { expect, test } from 'vitest'
import type { AuditRecord } from '../api/audit-records.ts'
import { buildHops } from './build-hops.ts'
import { type Example, finishedRecord, gatewayRecord } from './example-records.ts'
import { titleOf } from './exchange-state.ts'
import { foldHops } from './fold-hops.ts'
import { endsOf, requestsOf } from './hop-requests.ts'

const STATUS = '/operations/o-1/status'

function sent(target: string, at: number, own: Partial<Example> = {}): AuditRecord {
  const [method = '', path = ''] = target.split(' ')
  const example = {
    part: 'gateway',
    requestId: `r-${at}`,
    at,
    took: 5,
    outcome: 'success',
    operation: path,
    ...own,
  }
  const { attributes, ...record } = gatewayRecord(example)
  return {
    ...record,
    attributes: new Map([...attributes, ['method', method], ['path', path], ['span_id', `s-${at}`]]),
  }
}

const folds = (records: readonly AuditRecord[]) =>
  foldHops(buildHops(records)).map(({ kind, count, hop }) => `${kind} ${count} ${hop.gateway?.operation}`)

const accepted = sent('POST /things', 0, { outcome: 'accepted' })

test('polls are one row, also between other requests', () => {
  const polls = Array.from({ length: 12 }, (_, index) => sent(`GET ${STATUS}`, 10 + index * 10))
  const other = sent('POST /operations/o-1/cancel', 65, { actor: 'dave' })
  expect(folds([accepted, ...polls, other])).toEqual([
    'request 1 /things',
    `polls 12 ${STATUS}`,
    'request 1 /operations/o-1/cancel',
  ])
})

test('polls with another answer or of another person are a row of their own', () => {
  expect(
    folds([
      sent('POST /things', 0, { outcome: 'approval_required' }),
      sent('GET /approvals/a-1', 10),
      sent('GET /approvals/a-1', 20, { actor: 'dave' }),
      sent('GET /approvals/a-1', 30, { outcome: 'error' }),
      sent('GET /approvals/a-1', 40),
    ]),
  ).toEqual([
    'request 1 /things',
    'polls 2 /approvals/a-1',
    'polls 1 /approvals/a-1',
    'polls 1 /approvals/a-1',
  ])
})

test('a status elsewhere is polled if it is asked for three times', () => {
  const reads = (count: number) =>
    Array.from({ length: count }, (_, index) => sent('GET /jobs/1', 10 + index * 10))
  expect(folds([accepted, ...reads(2)])).toEqual([
    'request 1 /things',
    'request 1 /jobs/1',
    'request 1 /jobs/1',
  ])
  expect(folds([accepted, ...reads(3)])).toEqual(['request 1 /things', 'polls 3 /jobs/1'])
})

test('without an answer that waits nothing is a poll', () => {
  const reads = Array.from({ length: 3 }, (_, index) => sent(`GET ${STATUS}`, index * 10))
  expect(folds(reads)).toEqual([`repeats 3 ${STATUS}`])
  expect(folds(reads.slice(1))).toEqual([`request 1 ${STATUS}`, `request 1 ${STATUS}`])
})

test('the records of an exchange give the title of the list', () => {
  const poll = sent(`GET ${STATUS}`, 20)
  const title = (records: readonly AuditRecord[]) => {
    const hops = buildHops(records)
    const { name, state } = titleOf(requestsOf(hops), endsOf(hops)) ?? {}
    return [name, state?.words]
  }
  expect(title([accepted, poll])).toEqual(['POST /things', 'running in the background'])
  const end = finishedRecord({ part: 'things', requestId: 'r-0', at: 90, outcome: 'failed_dependency' })
  expect(title([accepted, poll, end])).toEqual(['POST /things', 'failed dependency'])
  expect(title([sent('POST /things', 0, { outcome: 'approval_required' }), poll])).toEqual([
    'POST /things',
    'waiting for approval',
  ])
})
