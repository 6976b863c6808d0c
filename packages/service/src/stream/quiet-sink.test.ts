import { expect, it } from 'vitest'
import { dropEvents, storeProgress } from './quiet-sink.ts'

const event = (data: unknown) => ({ data, text: '' })

it('a run without a wait of its own leaves the process time for its abort', async () => {
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  const { push } = dropEvents(controller.signal)
  let count = 0
  while (await push(event(count))) count += 1
  expect(count).toBeGreaterThan(0)
})

it('progress has the last event, and those between two writes are left out', async () => {
  const stored: unknown[] = []
  const faults: unknown[] = []
  let goOn: (() => void) | undefined
  const progress = async (value: unknown) => {
    stored.push(value)
    const { promise, resolve } = Promise.withResolvers<void>()
    goOn = resolve
    await promise
    if (value === 3) throw new Error('lost')
  }
  const sink = storeProgress({ progress, signal: new AbortController().signal }, (cause) =>
    faults.push(cause),
  )
  for (const data of [1, 2, 3]) expect(await sink.push(event(data))).toBe(true)
  expect(stored).toEqual([1])
  goOn?.()
  const flushed = sink.flush()
  await new Promise((resolve) => setImmediate(resolve))
  expect(stored).toEqual([1, 3])
  goOn?.()
  await flushed
  expect(faults).toEqual([new Error('lost')])
})
