import { expect, test } from 'vitest'
import { type Entry, fitScreen, fullText, rowsOf } from './fit-screen.ts'

const paint = (text: string) => `\u001b[1m${text}\u001b[22m`
const short: Entry = { head: 'GET /a as alice', paint, gap: true, body: { a: 1 } }
const long: Entry = { head: '200 application/json', paint, next: 'Location: /b', body: Array(20).fill('x') }

test('entries that fit are written in full', () => {
  const text = fitScreen([short, long], { columns: 80, rows: 29 })
  expect(text).toBe(`${fullText(short)}\n${fullText(long)}`)
  expect(rowsOf(text, { columns: 80 })).toBe(29)
})

test('long bodies are cut to fewer lines, then rows', () => {
  const head = `${paint('200 application/json')}\nLocation: /b\n`
  expect(fitScreen([short, long], { columns: 80, rows: 15 })).toBe(
    `${fullText(short)}\n${head}  [\n${'    "x",\n'.repeat(6)}  ...`,
  )
  expect(fitScreen([short, long], { columns: 20, rows: 7 })).toBe(
    `\n${paint('GET /a as alice')}\n  {"a":1}\n${head}  ["x","x","x","x","x","x","x","x"," ...`,
  )
})

test('on a small screen every entry with a body has one row', () => {
  expect(fitScreen([short, long], { columns: 40, rows: 3 })).toBe(
    `${paint('GET /a as alice')} {"a":1}\n${paint('200 application/json')} Location: /b [" ...`,
  )
  const line: Entry = { head: 'a line that is wide', paint }
  expect(fitScreen([short, line], { columns: 12, rows: 1 })).toBe(
    `${paint('GET /a a ...')}\n${paint('a line that is wide')}`,
  )
})

test('rows count what the terminal breaks, not colours', () => {
  expect(rowsOf(`${paint('x'.repeat(10))}\n\n${'x'.repeat(11)}`, { columns: 10 })).toBe(4)
})
