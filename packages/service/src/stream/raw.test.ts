import { expect, test } from 'vitest'
import { observeEnd, type StreamEnd } from './raw.ts'

/** A source whose next part comes when the test says so. */
function waitingSource() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await promise
      controller.close()
    },
  })
  return { source, resolve }
}

test('a reader that leaves while the source is waited for ends it once, as a disconnect', async () => {
  const ends: StreamEnd[] = []
  const { source, resolve } = waitingSource()
  const reader = observeEnd(source, (end) => void ends.push(end)).getReader()
  const read = reader.read()
  // The pull begins in a later turn.
  await new Promise(setImmediate)
  await reader.cancel()
  resolve()
  expect(await read).toEqual({ done: true, value: undefined })
  await new Promise(setImmediate)
  expect(ends).toEqual(['client_disconnect'])
})

test('a source that ends is complete, one that breaks is an error', async () => {
  const ends: StreamEnd[] = []
  const whole = observeEnd(ReadableStream.from([new Uint8Array(1)]), (end) => void ends.push(end))
  expect((await new Response(whole).arrayBuffer()).byteLength).toBe(1)
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull() {
      throw new Error('broken')
    },
  })
  await expect(new Response(observeEnd(broken, (end) => void ends.push(end))).text()).rejects.toThrow(
    'broken',
  )
  expect(ends).toEqual(['complete', 'error'])
})
