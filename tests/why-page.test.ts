import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outcomes, outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../tools/packed-packages.ts'

const page = readFileSync(join(repositoryRoot, 'docs/why.md'), 'utf8')

// The states of A2A; version 1.0 has the same ones in capitals.
const taskStates = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
]

test('the A2A table has the ten outcomes in the order of the profile, each with its status', () => {
  const rows = tableAfter('#### The ten outcomes as A2A task states').map(([type, status]) => [type, status])
  expect(rows).toEqual(outcomeTypes.map((type) => [`\`${type}\``, String(outcomes[type].status)]))
})

test('both A2A tables together name every task state of A2A and no other', () => {
  const cells = [
    ...tableAfter('#### The ten outcomes as A2A task states').map(([, , state]) => state ?? ''),
    ...tableAfter('The states of [a background operation]').map(([, , state]) => state ?? ''),
  ]
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, state]) => state))
  expect([...new Set(named)].toSorted()).toEqual(taskStates.toSorted())
})

/** The cells of the first table after `marker`, without its heading. */
function tableAfter(marker: string): string[][] {
  const [, after = ''] = page.split(marker, 2)
  const table = /(?:^\|.*\n)+/m.exec(after)?.[0] ?? ''
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
