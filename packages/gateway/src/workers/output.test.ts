import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatchedOutput, LineRelay, relayLog } from './output.ts'

/** A sink whose reader can stall. */
function createSink() {
  const written: string[] = []
  let pending: (() => void) | undefined
  const state = { stalls: false }
  const sink = new Writable({
    highWaterMark: 16,
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      if (state.stalls) pending = done
      else done()
    },
  })
  const goOn = () => {
    state.stalls = false
    pending?.()
  }
  return { sink, state, goOn, text: () => written.join('') }
}

test('lines of two processes stay whole, however they come', async () => {
  const { sink, text } = createSink()
  const relay = new LineRelay(sink)
  const [first, second] = [new PassThrough(), new PassThrough()]
  relay.add(first)
  relay.add(second)
  for (const [stream, chunk] of [
    [first, '{"a":'],
    [second, '{"b":1}\n{"b"'],
    [first, '1}\n{"a":2'],
    [second, ':2}\n'],
    [first, '}\n'],
  ] as const) {
    stream.write(chunk)
    await turn()
  }
  first.end()
  second.end()
  await relay.settled()
  expect(text().split('\n').toSorted()).toEqual(['', '{"a":1}', '{"a":2}', '{"b":1}', '{"b":2}'])
})

test('behind a reader that stalls nothing is read, and all of it afterwards', async () => {
  const { sink, state, goOn, text } = createSink()
  const relay = new LineRelay(sink)
  const source = new PassThrough({ highWaterMark: 64 })
  relay.add(source)
  state.stalls = true
  const line = `${'x'.repeat(31)}\n`
  for (let count = 0; count < 10; count += 1) {
    source.write(line)
    await turn()
  }
  expect(source.isPaused()).toBe(true)
  expect(sink.writableLength).toBeLessThanOrEqual(3 * line.length)
  goOn()
  source.end()
  await relay.settled()
  expect(text()).toBe(line.repeat(10))
})

test('half a line of a process that died is left out', async () => {
  const { sink, text } = createSink()
  const relay = new LineRelay(sink)
  const source = new PassThrough()
  relay.add(source)
  source.end('{"whole":1}\n{"half"')
  await relay.settled()
  expect(text()).toBe('{"whole":1}\n')
})

test('when nobody reads any more the processes learn it', async () => {
  const { sink } = createSink()
  const relay = new LineRelay(sink)
  const [before, after] = [new PassThrough(), new PassThrough()]
  relay.add(before)
  sink.destroy(new Error('EPIPE'))
  await turn()
  relay.add(after)
  expect([before.destroyed, after.destroyed]).toEqual([true, true])
})

const write = (output: ReturnType<typeof createBatchedOutput>, text: string) =>
  new Promise<Error | null | undefined>((resolve) => output.write(text, resolve))

test('what is written arrives, and its writer is told when', async () => {
  const stdout = new PassThrough()
  const output = createBatchedOutput(stdout)
  const startedAt = performance.now()
  expect(await write(output, 'small')).toBeFalsy()
  expect(performance.now() - startedAt).toBeGreaterThan(3)
  expect(String(stdout.read())).toBe('small')
  expect(await write(output, 'x'.repeat(40_000))).toBeFalsy()
  expect(String(stdout.read())).toHaveLength(40_000)
})

test('a loss is told to who wrote, every time', async () => {
  const stdout = new PassThrough().on('error', () => undefined)
  const output = createBatchedOutput(stdout).on('error', () => undefined)
  stdout.destroy()
  for (const text of ['first', 'second']) expect(await write(output, text)).toBeInstanceOf(Error)
})

test('the last half line of a log may say why a process died, and is written', async () => {
  const written: string[] = []
  const stderr = new PassThrough()
  relayLog(stderr, (lines) => written.push(lines))
  stderr.end('{"msg":1}\nFatal')
  await once(stderr, 'end')
  expect(written).toEqual(['{"msg":1}\n', 'Fatal\n'])
})
