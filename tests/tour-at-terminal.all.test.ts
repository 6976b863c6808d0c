import { stripVTControlCharacters } from 'node:util'
import { sharedPart } from '@agentic-rest/testing/shared-parts'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { stops } from '../examples/stack/src/tour/stops.ts'
import { repositoryRoot } from '../tools/packed-packages.ts'
import { runInTerminal, type Typing } from './cli/on-terminal.ts'

const [COLUMNS, ROWS] = [80, 24]
const QUESTION = 'Enter for the next stop, q to leave: '

/** Takes the tour through the shared stack in a terminal of the usual size. */
async function tour(options: string, typings: readonly Typing[]) {
  const { portBase } = JSON.parse(await sharedPart('stack')) as { portBase: number }
  const command = `stty rows ${ROWS} cols ${COLUMNS}; exec npm run --silent tour -- --port-base ${portBase} ${options}`
  const { code, screen } = await runInTerminal(command, typings, { cwd: repositoryRoot, env: process.env })
  return { code, shown: stripVTControlCharacters(screen).replaceAll('\r', '') }
}

testWith('script', 'the tour waits for Enter after each stop, and each fits the screen', async () => {
  const { code, shown } = await tour(
    '',
    stops.slice(1).map(() => [QUESTION, '\r']),
  )
  expect(code).toBe(0)
  expect(shown).toMatch(new RegExp(`\nstops: ${stops.length}, wrong: 0\n$`))
  const screens = shown.split(QUESTION)
  expect(screens).toHaveLength(stops.length)
  for (const [index, { title }] of stops.entries()) {
    // A line break is the visitor's Enter.
    const screen = `${screens[index]?.slice(index === 0 ? 0 : 1)}${QUESTION}`
    expect(screen).toContain(`\n${index + 1}. ${title}\n`)
    const rows = screen.split('\n').map(({ length }) => Math.max(1, Math.ceil(length / COLUMNS)))
    expect([title, rows.reduce((sum, each) => sum + each, 0) <= ROWS]).toEqual([title, true])
  }
})

testWith('script', 'q leaves the tour', async () => {
  const { code, shown } = await tour('', [
    [QUESTION, '\r'],
    [QUESTION, 'q\r'],
  ])
  expect(shown).toContain(`\nstops: 2 of ${stops.length}, wrong: 0\n`)
  expect(code).toBe(0)
})

testWith('script', 'with --all a terminal gets everything at once', async () => {
  const { code, shown } = await tour('--all', [])
  expect(shown).toMatch(new RegExp(`\nstops: ${stops.length}, wrong: 0\n$`))
  expect(shown).not.toContain(QUESTION)
  expect(code).toBe(0)
})
