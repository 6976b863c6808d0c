import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { listFiles } from '../../tools/repo-files.ts'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

test('the page of the deployment files lists every folder and file', () => {
  const [table = ''] = read('deploy/README.md').split('\n## ')
  const listed = [...table.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path = '']) => path.split('/')[0])
  // Secrets of a machine are not part of the repository.
  const there = listFiles(repositoryRoot, ['deploy/**']).flatMap((path) => path.split('/')[1] ?? [])
  const unlisted = there.filter((name) => !['README.md', 'secrets', ...listed].includes(name))
  expect(unlisted).toEqual([])
})

/** The cells of a row of the page on performance, after a heading; the row of the gateway by default. */
function measured(heading: string, row = 'gateway'): string[] {
  const [, section = ''] = read('docs/performance.md').split(`**${heading}**`)
  const line = section.split('\n').find((each) => each.startsWith(`| ${row} |`))
  if (line === undefined) expect.fail(`docs/performance.md: there is no row ${row} after ${heading}`)
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

/** The first number of a cell. */
function numberIn(cell = ''): number {
  return Number(/[\d,.]*\d/.exec(cell)?.[0].replaceAll(',', '') ?? Number.NaN)
}

function sizing(row: string): string[] {
  const line = read('docs/deployment.md')
    .split('\n')
    .find((each) => each.startsWith(`| ${row} |`))
  return line?.split('|').slice(2, -1) ?? expect.fail(`docs/deployment.md: there is no row ${row}`)
}

// Rounded figures: at most 3 % from those of the run.
const ROUNDED = 0.03
const expectRounded = (shown: number, exact: number) =>
  expect([shown, Math.abs(shown - exact) <= exact * ROUNDED]).toEqual([shown, true])

test.each([
  ['GET with a checked token', 'GET passthrough, token checked'],
  ['POST of JSON through all five plugins', 'POST of JSON through all five plugins'],
  ['typed answer, trace and schema checked', 'Vendor-typed answer, trace and schema checked'],
])('the sizing of %s has the figures of the newest run', (row, heading) => {
  const [capacity, cpu] = sizing(row)
  const [requests, microseconds] = measured(heading)
  expectRounded(numberIn(capacity), numberIn(requests))
  expectRounded(numberIn(cpu), numberIn(microseconds))
})

test('the sizing of large bodies and new tokens has the figures of the newest run', () => {
  const large = measured('1 MB there and 1 MB back')
  const [capacity, milliseconds] = sizing('1 MB there and back')
  expectRounded(numberIn(capacity), numberIn(large[0]))
  expectRounded(numberIn(milliseconds) * 1000, numberIn(large[1]))
  const microseconds = numberIn(measured('GET with a token that was never seen')[1])
  const [tokens, cpu] = sizing('each token new, RS256')
  expectRounded(numberIn(cpu), microseconds)
  expectRounded(numberIn(tokens), 1_000_000 / microseconds)
})

test('the memory of the sizing has the figures of the newest run', () => {
  const target = (row: string) => numberIn(measured('Targets', row)[0])
  expectRounded(numberIn(sizing('a gateway before any load')[0]), target('memory before any load'))
  expectRounded(numberIn(sizing('an idle stream')[0]), target('memory of an idle stream'))
  // 1,000 readers, in MB.
  expectRounded(
    numberIn(sizing('a client that does not read its stream')[0]),
    target('memory for all stalled readers'),
  )
})
