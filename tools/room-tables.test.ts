import { expect, test } from 'vitest'
import { importTable, packagesTable } from './room-tables.ts'
import { temporaryTree } from './temporary-tree.ts'

test('the table lists every workspace with its description', () => {
  const root = temporaryTree({
    'packages/b/package.json': '{ "description": "Does a | b. Supports Agentic Profile v0.3." }',
    'examples/a/package.json': '{ "description": "Shows c." }',
  })
  expect(packagesTable(root).split('\n')).toEqual([
    '| Folder | What lives there |',
    '| --- | --- |',
    '| [`examples/a`](examples/a) | Shows c. |',
    '| [`packages/b`](packages/b) | Does a \\| b. |',
  ])
})

test('the table lists the allowed imports of existing workspaces', () => {
  const rooms = ['packages/profile', 'packages/service', 'packages/cli', 'examples/a', 'tools', 'tests']
  const root = temporaryTree(Object.fromEntries(rooms.map((room) => [`${room}/a.ts`, ''])))
  expect(importTable(root).split('\n')).toEqual([
    '| Room | May import |',
    '| --- | --- |',
    '| `packages/profile` | nothing of ours |',
    '| `packages/service` | `packages/profile`, `packages/audit-log`, `packages/client` |',
    '| `packages/cli` | `packages/*`, `examples/stack` |',
    '| `examples/*` | `packages/service`, `packages/client`, `packages/gateway` |',
    '| `tests`, `tools` | anything |',
  ])
})
