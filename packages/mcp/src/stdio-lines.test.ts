import { expect, test } from 'vitest'
import { type LongLine, readLines } from './stdio-lines.ts'

async function linesOf(chunks: readonly string[], limit?: number): Promise<(string | LongLine)[]> {
  const bytes = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  })()
  return all(readLines(bytes, limit))
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('lines are found across chunks, the last one without its end included', async () => {
  expect(await linesOf(['{"a":', '1}\n\n{"b"', ':2}\r\n{"c":3}'])).toEqual([
    '{"a":1}',
    '',
    '{"b":2}\r',
    '{"c":3}',
  ])
  expect(await linesOf([])).toEqual([])
  const [euro = new Uint8Array()] = [Buffer.from('€\n')]
  const halves = (async function* () {
    yield euro.subarray(0, 1)
    yield euro.subarray(1)
  })()
  expect(await all(readLines(halves))).toEqual(['€'])
})

const long = 'x'.repeat(2000)

test.each([
  ['first', `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"${long}"}}`, 7],
  ['after the method', `{ "method" : "a" , "id" : "q-1" , "params":{"a":"${long}"}}`, 'q-1'],
  ['last', `{"method":"a","params":{"id":1,"a":"${long}"},"jsonrpc":"2.0","id":8}`, 8],
  ['of an argument', `{"method":"a","params":{"a":"${long}","id":1}}`, null],
  ['in a text', `{"method":"a","params":"${long},\\"id\\":5}"}`, null],
  ['nowhere', long, null],
])('a long line is an error, with its id: %s', async (_place, line, id) => {
  const cut = line.length / 3
  const chunks = [line.slice(0, cut), line.slice(cut, 2 * cut), `${line.slice(2 * cut)}\n{"next":1}\n`]
  expect(await linesOf(chunks, 1000)).toEqual([{ id, limit: 1000 }, '{"next":1}'])
  expect(await linesOf([line], 1000)).toEqual([{ id, limit: 1000 }])
})

test('a line of exactly the limit is read', async () => {
  expect(await linesOf(['x'.repeat(10), '\n'], 10)).toEqual(['x'.repeat(10)])
  expect(await linesOf([`${'x'.repeat(11)}\n`], 10)).toEqual([{ id: null, limit: 10 }])
})
