import { expect, test } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import { timersInTests } from './timers-in-tests.ts'

const places = (files: Record<string, string>) =>
  timersInTests(temporaryTree(files)).map(({ path, line }) => `${path}:${line}`)

test.each([
  ['setTimeout(f, 5)'],
  ['await new Promise((resolve) => setTimeout(resolve, 5))'],
  ['globalThis.setTimeout(f, 5)'],
  ['const pause = promisify(setTimeout)'],
  ['await sleep(5)'],
  ["import { setTimeout as pause } from 'node:timers/promises'; await pause(5)"],
  ["import { setTimeout as later } from 'node:timers'; later(f, 5)"],
  ["import * as timers from 'node:timers/promises'; await timers.setTimeout(5)"],
  ['// It waits.\nsetTimeout(f, 5)'],
  ['// Wait: the upstream is slow.\n\nsetTimeout(f, 5)'],
  ['// Wait:\nsetTimeout(f, 5)'],
])('a timer without a reason is a fault: %s', (text) => {
  const line = text.split('\n').length
  expect(places({ 'packages/a/test/b.test.ts': text })).toEqual([`packages/a/test/b.test.ts:${line}`])
})

test.each([
  ['// Wait: the upstream is slow on purpose.\nsetTimeout(f, 5)'],
  ['setTimeout(f, 5) // Wait: the client stalls on purpose.'],
  ['// Wait: the client stalls,\n// and that is what is tested.\nsetTimeout(f, 5)'],
  ["import { setTimeout as pause } from 'node:timers/promises'"],
  ["vi.useFakeTimers({ toFake: ['setTimeout'] })"],
  ["import { setImmediate as turn } from 'node:timers/promises'; await turn()"],
  ['await clock.sleep(5)'],
])('this is no fault: %s', (text) => {
  expect(places({ 'packages/a/test/b.test.ts': text })).toEqual([])
})

test('tests and their programs are looked at, and nothing else', () => {
  const text = 'setTimeout(f, 5)'
  const seen = [
    'examples/b/test/c.ts',
    'packages/a/src/d.test.ts',
    'packages/a/test/e/program.ts',
    'tests/f.ts',
    'tools/g.test.ts',
  ]
  const ignored = [
    'packages/a/src/h.ts',
    'packages/testing/src/i.ts',
    'packages/cli/template/test/m.test.ts',
    'bench/j.ts',
    'chaos/k.ts',
    'tools/l.ts',
  ]
  const files = Object.fromEntries([...seen, ...ignored].map((path) => [path, text]))
  expect(places(files)).toEqual(seen.map((path) => `${path}:1`))
})
