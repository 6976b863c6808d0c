import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { type Worker, WorkerPool } from './worker-pool.ts'

/** Workers without a process, whose life the test decides on. */
function makePool(count: number) {
  const log: Record<string, unknown>[] = []
  const made: {
    index: number
    start(): void
    fail(reason: string): void
    end(how: string): void
  }[] = []
  const killed: number[] = []
  let replaced = 0
  const pool = new WorkerPool({
    count,
    log: createLog({ level: 'info', pretty: false, write: (line) => log.push(JSON.parse(line)) }),
    onReplaced: () => {
      replaced += 1
    },
    start(index) {
      const ready = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<string>()
      const kill = () => {
        killed.push(index)
        ended.resolve('SIGKILL')
      }
      const child = { pid: made.length + 1 }
      made.push({
        index,
        start: ready.resolve,
        fail: (reason) => ready.reject(new Error(reason)),
        end: ended.resolve,
      })
      return { index, child, ended: ended.promise, kill, ready: ready.promise } as unknown as Worker
    },
  })
  const messages = () => log.map(({ msg, worker }) => `${worker}: ${msg}`)
  return { pool, made, killed, messages, replaced: () => replaced }
}

test('every place is filled, and again when one has ended, however often that takes', async () => {
  const { pool, made, messages, replaced } = makePool(2)
  const starting = pool.start()
  for (const worker of made) worker.start()
  await starting
  expect([...pool.workers].map(({ index }) => index)).toEqual([1, 2])
  made[0]?.end('SIGSEGV')
  await expect.poll(() => made.length).toBe(3)
  expect([...pool.workers].map(({ index }) => index)).toEqual([2])
  made[2]?.fail('no file')
  await expect.poll(() => made.length).toBe(4)
  made[3]?.start()
  await expect.poll(() => pool.workers.size).toBe(2)
  expect(made.map(({ index }) => index)).toEqual([1, 2, 1, 1])
  expect(messages()).toEqual([
    '1: a worker ended and is replaced',
    '1: a worker could not be replaced yet',
    '1: a worker has taken the place of one that ended',
  ])
  expect(replaced()).toBe(2)
  pool.kill()
})

test('one that cannot start fails the start of all', async () => {
  const { pool, made, killed } = makePool(2)
  const starting = pool.start()
  made[0]?.start()
  made[1]?.fail('no key')
  await expect(starting).rejects.toThrow('no key')
  pool.kill()
  expect(killed.toSorted()).toEqual([1, 2])
})

test('at its end nobody is replaced, who has not started is killed, and so is who does not end in time', async () => {
  const { pool, made, killed, messages } = makePool(2)
  const starting = pool.start()
  for (const worker of made) worker.start()
  await starting
  made[0]?.end('exit code 1')
  await expect.poll(() => made.length).toBe(3)
  await pool.end(20)
  expect(killed).toEqual([1, 2])
  expect(messages().at(-1)).toBe('2: a worker did not end in time')
  expect(pool.workers.size).toBe(0)
  expect(made).toHaveLength(3)
})
