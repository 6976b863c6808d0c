import { expect, test } from 'vitest'
import { leastTime } from '../../test/harness/least-time.ts'
import { printedSeed, seededRandom } from '../../test/harness/seeded-random.ts'
import { createBorrowedRoom } from './borrowed-room.ts'
import { createPermits, type Holder, type Permits } from './permits.ts'

/** A worker whose requests are a number. */
function createWorker(permits: Permits) {
  let inFlight = 0
  const holder: Holder = { recall: async (needed) => room.giveBack(needed) }
  permits.join(holder)
  const room = createBorrowedRoom({ inFlight: () => inFlight, ask: (needed) => permits.ask(holder, needed) })
  return {
    holder,
    room,
    get inFlight() {
      return inFlight
    },
    /** True when the request is worked on. */
    async enter() {
      inFlight += 1
      const goesOn = inFlight <= room.limit() || (await room.askForMore())
      if (!goesOn) inFlight -= 1
      return goesOn
    },
    leave() {
      inFlight -= 1
    },
  }
}

test('a worker gets what another does not use, to the last permit, and nobody gets more', async () => {
  const permits = createPermits(() => 6)
  const [first, second] = [createWorker(permits), createWorker(permits)]
  await first.room.warm()
  await second.room.warm()
  const entered = await Promise.all(Array.from({ length: 8 }, () => second.enter()))
  expect(entered).toEqual([true, true, true, true, true, true, false, false])
  expect([await first.enter(), permits.held]).toEqual([false, 6])
  second.leave()
  expect([await first.enter(), await first.enter()]).toEqual([true, false])
})

test('a worker with a permit asks nobody', async () => {
  let asked = 0
  const room = createBorrowedRoom({
    inFlight: () => 0,
    ask: async () => {
      asked += 1
      return 4
    },
  })
  await room.warm()
  expect([room.limit(), asked]).toEqual([4, 1])
})

test('the permits of a worker that is gone are free', async () => {
  const permits = createPermits(() => 3)
  const [first, second] = [createWorker(permits), createWorker(permits)]
  for (let count = 0; count < 3; count += 1) expect(await first.enter()).toBe(true)
  expect(await second.enter()).toBe(false)
  permits.leave(first.holder)
  expect(await second.enter()).toBe(true)
  // What it asked for before is not given to nobody.
  expect([await permits.ask(first.holder, 5), permits.held]).toEqual([0, 2])
})

test('a lower limit is kept as soon as enough requests are over', async () => {
  let limit = 8
  const permits = createPermits(() => limit)
  const [first, second] = [createWorker(permits), createWorker(permits)]
  for (let count = 0; count < 8; count += 1) expect(await first.enter()).toBe(true)
  limit = 2
  permits.limitChanged()
  for (let count = 0; count < 7; count += 1) first.leave()
  await expect.poll(() => permits.held).toBeLessThanOrEqual(2)
  expect([await second.enter(), await second.enter()]).toEqual([true, false])
})

test('a worker that does not answer holds nobody up for long', async () => {
  const permits = createPermits(() => 2)
  const stuck: Holder = { recall: () => new Promise(() => undefined) }
  permits.join(stuck)
  expect(await permits.ask(stuck, 1)).toBe(1)
  const worker = createWorker(permits)
  expect([await worker.enter(), await worker.enter()]).toEqual([true, false])
  const time = await leastTime(500, async () => {
    for (let count = 0; count < 20; count += 1) expect(await worker.enter()).toBe(false)
  })
  expect(time).toBeLessThan(500)
})

test('whatever comes and goes where, there are never more than the limit, and none is refused while there is room', async () => {
  const seed = printedSeed('permits of workers')
  const random = seededRandom(seed)
  const permits = createPermits(() => 20)
  const workers = Array.from({ length: 4 }, () => createWorker(permits))
  const total = () => workers.reduce((sum, worker) => sum + worker.inFlight, 0)
  for (let step = 0; step < 2000; step += 1) {
    const worker = workers[Math.floor(random() * 4)]
    if (worker === undefined) continue
    if (worker.inFlight > 0 && random() < 0.45) worker.leave()
    else {
      const hadRoom = total() < 20
      expect(await worker.enter(), `seed ${seed}, step ${step}`).toBe(hadRoom)
    }
    expect(total(), `seed ${seed}, step ${step}`).toBeLessThanOrEqual(20)
  }
})

test('permits that are called back while others are asked for stay given back', async () => {
  const answers: ((permits: number) => void)[] = []
  const room = createBorrowedRoom({
    inFlight: () => 0,
    ask: () => new Promise((resolve) => void answers.push(resolve)),
  })
  const warm = room.warm()
  answers.shift()?.(5)
  await warm
  const more = room.askForMore()
  expect(room.giveBack(3)).toBe(3)
  answers.shift()?.(1)
  await more
  expect(room.limit()).toBe(3)
})
