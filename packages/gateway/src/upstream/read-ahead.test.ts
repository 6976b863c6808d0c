import { expect, test } from 'vitest'
import type { BodySink, UpstreamBody } from './dispatch.ts'
import { readAhead } from './read-ahead.ts'

/** A body that the test feeds. */
function makeBody(early: readonly string[] = []) {
  const told: string[] = []
  let sink: BodySink | undefined
  const body: UpstreamBody = {
    takeWhole: () => undefined,
    pipe(given) {
      sink = given
      for (const text of early) if (!given.chunk(Buffer.from(text))) told.push('pause')
    },
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    abort: () => told.push('abort'),
  }
  return {
    body,
    told,
    chunk: (text: string) => sink?.chunk(Buffer.from(text)),
    end: (error?: Error) => sink?.end(error === undefined ? { complete: true } : { complete: false, error }),
  }
}

/** A reader that keeps everything. */
function makeSink(wantsMore = true) {
  const got: string[] = []
  const sink: BodySink = {
    chunk(bytes) {
      got.push(bytes.toString())
      return wantsMore
    },
    end: ({ complete }) => void got.push(complete ? 'end' : 'cut'),
  }
  return { got, sink }
}

test('a body within the bound is read whole', async () => {
  const { body, chunk, end } = makeBody(['ab'])
  const reading = readAhead(body, 4)
  expect(chunk('cd')).toBe(true)
  end()
  expect(await reading).toEqual({ bytes: Buffer.from('abcd') })
})

test('a body that breaks off within the bound is an error', async () => {
  const { body, end } = makeBody(['ab'])
  const reading = readAhead(body, 4)
  const error = new Error('reset')
  end(error)
  expect(await reading).toEqual({ error })
})

test('a longer body waits, and is read from its start', async () => {
  const source = makeBody(['abc', 'def'])
  const read = await readAhead(source.body, 4)
  if (!('body' in read)) throw new Error('the body is longer than the bound')
  expect(source.chunk('g')).toBe(false)
  const { got, sink } = makeSink()
  read.body.pipe(sink)
  expect(source.told).toEqual(['pause', 'resume'])
  expect(source.chunk('h')).toBe(true)
  source.end()
  expect(got).toEqual(['abc', 'def', 'g', 'h', 'end'])
  read.body.abort()
  expect(source.told.at(-1)).toBe('abort')
})

test('a slow reader of a longer body resumes it by itself', async () => {
  const source = makeBody(['abcdef'])
  const read = await readAhead(source.body, 4)
  if (!('body' in read)) throw new Error('the body is longer than the bound')
  read.body.pipe(makeSink(false).sink)
  expect(source.told).toEqual(['pause'])
})

test('the end of a longer body that has arrived already is told', async () => {
  const source = makeBody(['abcdef'])
  const read = await readAhead(source.body, 4)
  if (!('body' in read)) throw new Error('the body is longer than the bound')
  source.end(new Error('reset'))
  const { got, sink } = makeSink()
  read.body.pipe(sink)
  await new Promise((resolve) => setImmediate(resolve))
  expect(got).toEqual(['abcdef', 'cut'])
})
