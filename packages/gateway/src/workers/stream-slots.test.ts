import { expect, test } from 'vitest'
import { createLocalStreamSlots } from '../limits/streams/stream-slots.ts'
import type { SupervisorChannel } from './channel.ts'
import { createWorkerSlots, SupervisorSlots } from './stream-slots.ts'

/** The channel of a worker to slots in this process. */
function makeSupervisor(limit: number) {
  const slots = new SupervisorSlots<string>(() => limit)
  const released: string[] = []
  const state = { isGone: false }
  const supervisor = {
    async ask(_name: string, tenantId: string) {
      if (state.isGone) throw new Error('the other process is gone')
      return slots.take('worker', tenantId)
    },
    tell(_name: string, tenantId: string) {
      released.push(tenantId)
      slots.release('worker', tenantId)
    },
  } as unknown as SupervisorChannel
  return { slots, supervisor, released, state }
}

test('the slots of a tenant are counted over all workers, and those of a worker that ended are free', () => {
  const slots = new SupervisorSlots<string>(() => 3)
  expect(['a', 'b', 'a', 'b'].map((worker) => slots.take(worker, 'acme'))).toEqual([true, true, true, false])
  expect(slots.take('b', 'globex')).toBe(true)
  slots.release('a', 'acme')
  // A slot that is not held is not given back.
  slots.release('a', 'globex')
  expect(['b', 'b'].map((worker) => slots.take(worker, 'acme'))).toEqual([true, false])
  slots.leave('b')
  expect(['a', 'a', 'a'].map((worker) => slots.take(worker, 'acme'))).toEqual([true, true, false])
})

test('a stream needs a slot of the machine and one of all, and holds neither when it does not get both', async () => {
  const { supervisor, released } = makeSupervisor(2)
  const all = createLocalStreamSlots(() => 1)
  const slots = createWorkerSlots(supervisor, all)
  const release = await slots.take('acme')
  expect([typeof release, await slots.take('acme')]).toEqual(['function', undefined])
  expect([released, all.held('acme'), slots.held('acme'), slots.scope()]).toEqual([['acme'], 1, 1, 'local'])
  release?.()
  release?.()
  expect([released, all.held('acme'), slots.held('acme')]).toEqual([['acme', 'acme'], 0, 0])
})

test('a worker that cannot ask any more refuses, and what it has is released once', async () => {
  const { supervisor, released, state } = makeSupervisor(7)
  const slots = createWorkerSlots(supervisor)
  const release = await slots.take('acme')
  expect(slots.held('acme')).toBe(1)
  state.isGone = true
  expect(await slots.take('acme')).toBeUndefined()
  release?.()
  release?.()
  expect([released, slots.held('acme'), slots.scope()]).toEqual([['acme'], 0, 'shared'])
  await slots.close()
})
