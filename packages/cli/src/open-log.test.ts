import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { openLog } from './open-log.ts'

/** A stream whose reader takes nothing until it is told to. */
function createStalledStream(isTTY = false) {
  const waiting: (() => void)[] = []
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      waiting.push(done)
    },
  })
  const read = () => {
    for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) done()
  }
  return { stream: Object.assign(stream, { isTTY }), chunks, read }
}

test('a pipe gets JSON lines', () => {
  const { stream, chunks } = createStalledStream()
  openLog(stream, 'info').info('hello', { port: 1 })
  expect(chunks.map((chunk) => JSON.parse(chunk))).toEqual([
    { time: expect.any(String), level: 'info', msg: 'hello', port: 1 },
  ])
})

test('a terminal gets readable lines', () => {
  const { stream, chunks } = createStalledStream(true)
  openLog(stream, 'info').info('hello', { port: 1 })
  expect(chunks).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}hello port=1\n$/)])
})

test('a reader that stalls costs lines, not memory, and the loss is told', () => {
  const { stream, chunks, read } = createStalledStream()
  const log = openLog(stream, 'info')
  for (let count = 0; count < 5000; count += 1) log.info('x'.repeat(1000))
  expect(stream.writableLength).toBeLessThan(1_100_000)
  read()
  log.info('last')
  read()
  const lines = chunks.map((chunk) => JSON.parse(chunk))
  const written = lines.filter(({ msg }) => msg.startsWith('x')).length
  expect(lines.slice(-2)).toMatchObject([
    { level: 'warn', msg: 'log lines were dropped because the reader was too slow', lines: 5000 - written },
    { msg: 'last' },
  ])
})
