import { expect, test } from 'vitest'
import { recordTable } from './joined-records.ts'

test('the table shows the typed outcome of each record', () => {
  const record = {
    part: 'gateway',
    timestamp: '2026-11-17T06:00:00.000Z',
    event_type: 'agentic.request.received',
    operation: 'create-optimization',
    tenant_id: 'acme',
    actor_id: 'alice',
    outcome: 'error',
  }
  const rows = recordTable([
    { ...record, attributes: { outcome_type: 'approval_required' } },
    { ...record, part: 'campaigns', outcome: 'clarification_required' },
  ])
  expect(rows.map((row) => row.split(/ {2,}/).at(-1))).toEqual([
    'outcome',
    'approval_required',
    'clarification_required',
  ])
})
