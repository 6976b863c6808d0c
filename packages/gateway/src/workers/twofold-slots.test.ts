import { expect, test } from 'vitest'
import { createLocalStreamSlots } from '../slots/stream-slots.ts'
import { createAskedSlots } from './asked-slots.ts'
import { createTwofoldSlots } from './twofold-slots.ts'

test('a stream needs a slot of the machine and one of all, and holds neither when it does not get both', async () => {
  const machine = createLocalStreamSlots(() => 2)
  const all = createLocalStreamSlots(() => 1)
  const slots = createTwofoldSlots(machine, all)
  const release = await slots.take('acme')
  expect([typeof release, await slots.take('acme')]).toEqual(['function', undefined])
  expect([machine.held('acme'), all.held('acme'), slots.held('acme')]).toEqual([1, 1, 1])
  release?.()
  release?.()
  expect([machine.held('acme'), all.held('acme')]).toEqual([0, 0])
})

test('a worker that cannot ask any more refuses, and what it has is released once', async () => {
  const released: number[] = []
  let isGone = false
  const slots = createAskedSlots({
    take: async () => {
      if (isGone) throw new Error('the other process is gone')
      return 7
    },
    release: (id) => void released.push(id),
  })
  const release = await slots.take('acme')
  expect(slots.held('acme')).toBe(1)
  isGone = true
  expect(await slots.take('acme')).toBeUndefined()
  release?.()
  release?.()
  expect([released, slots.held('acme'), slots.scope()]).toEqual([[7], 0, 'shared'])
  await slots.close()
})
