import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import type { Started } from './desks.ts'
import type { Member } from './member.ts'
import { createTeam } from './team.ts'

/** Members without a process, whose life the test decides on. */
function makeTeam(count: number) {
  const log: Record<string, unknown>[] = []
  const made: {
    index: number
    isFirst: boolean
    start(): void
    fail(reason: string): void
    end(how: string): void
  }[] = []
  const killed: number[] = []
  let replaced = 0
  const team = createTeam({
    count,
    log: createLog({ level: 'info', pretty: false, write: (line) => log.push(JSON.parse(line)) }),
    inTurn: (work) => work(),
    onStarted: () => undefined,
    onReplaced: () => {
      replaced += 1
    },
    startMember(index, isFirst) {
      const started = Promise.withResolvers<Started>()
      const ended = Promise.withResolvers<string>()
      const kill = () => {
        killed.push(index)
        ended.resolve('SIGKILL')
      }
      const process = { pid: made.length + 1, ended: ended.promise, kill }
      made.push({
        index,
        isFirst,
        start: () => started.resolve({ adminPort: undefined }),
        fail: (reason) => started.reject(new Error(reason)),
        end: ended.resolve,
      })
      return { index, process, started: started.promise } as unknown as Member
    },
  })
  const messages = () => log.map(({ msg, worker }) => `${worker}: ${msg}`)
  return { team, made, killed, messages, replaced: () => replaced }
}

test('every place is filled, and again when one has ended, however often that takes', async () => {
  const { team, made, messages, replaced } = makeTeam(2)
  const starting = team.start()
  for (const member of made) member.start()
  await starting
  expect([...team.members].map(({ index }) => index)).toEqual([1, 2])
  made[0]?.end('SIGSEGV')
  await expect.poll(() => made.length).toBe(3)
  expect([...team.members].map(({ index }) => index)).toEqual([2])
  made[2]?.fail('no file')
  await expect.poll(() => made.length).toBe(4)
  made[3]?.start()
  await expect.poll(() => team.members.size).toBe(2)
  expect(made.map(({ index, isFirst }) => [index, isFirst])).toEqual([
    [1, true],
    [2, true],
    [1, false],
    [1, false],
  ])
  expect(messages()).toEqual([
    '1: a worker ended and is replaced',
    '1: a worker could not be replaced yet',
    '1: a worker has taken the place of one that ended',
  ])
  expect(replaced()).toBe(2)
  team.kill()
})

test('one that cannot start fails the start of all', async () => {
  const { team, made, killed } = makeTeam(2)
  const starting = team.start()
  made[0]?.start()
  made[1]?.fail('no key')
  await expect(starting).rejects.toThrow('no key')
  team.kill()
  expect(killed.toSorted()).toEqual([1, 2])
})

test('at its end nobody is replaced, who has not started is killed, and so is who does not end in time', async () => {
  const { team, made, killed, messages } = makeTeam(2)
  const starting = team.start()
  for (const member of made) member.start()
  await starting
  made[0]?.end('exit code 1')
  await expect.poll(() => made.length).toBe(3)
  await team.end(20)
  expect(killed).toEqual([1, 2])
  expect(messages().at(-1)).toBe('2: a worker did not end in time')
  expect(team.members.size).toBe(0)
  expect(made).toHaveLength(3)
})
