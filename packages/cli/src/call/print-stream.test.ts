import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createPatientWriter } from './print-stream.ts'

test('a reader that keeps up is written to at once', async () => {
  const stream = new PassThrough()
  const writer = createPatientWriter(stream)
  expect(await writer.write('a')).toBe(true)
  expect(stream.read().toString()).toBe('a')
})

test('a reader that is slow is waited for, and nothing is left listening', async () => {
  const stream = new PassThrough({ highWaterMark: 1 })
  const before = ['drain', 'close', 'error'].map((event) => stream.listenerCount(event))
  const writer = createPatientWriter(stream)
  let isWritten = false
  const written = writer.write('abc').then((more) => {
    isWritten = true
    return more
  })
  await new Promise(setImmediate)
  expect(isWritten).toBe(false)
  stream.resume()
  expect(await written).toBe(true)
  writer.close()
  expect(['drain', 'close', 'error'].map((event) => stream.listenerCount(event))).toEqual(before)
})

test('a reader that goes away ends it, also in the middle of a wait', async () => {
  const stream = new PassThrough({ highWaterMark: 1 })
  const writer = createPatientWriter(stream)
  const written = writer.write('abc')
  stream.destroy(new Error('EPIPE'))
  expect(await written).toBe(false)
  expect(await writer.write('more')).toBe(false)
})
