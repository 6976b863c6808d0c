import { expect, test } from 'vitest'
import { TooSlowError, within } from './time-limit.ts'

// Wait: a limit of time is what is tested.
const later = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value))

function blockFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('an answer or a failure in time is passed on', async () => {
  expect(await within(1000, later(1, 'yes'))).toBe('yes')
  await expect(within(1000, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('no answer in time is an error with a code, and a late answer is ignored', async () => {
  const late = Promise.withResolvers<string>()
  const error = await within(20, late.promise).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(TooSlowError)
  expect(error).toMatchObject({ code: 'TIMEOUT' })
  late.resolve('late')
  expect(await late.promise).toBe('late')
})

test('time in which this process was blocked does not count', async () => {
  const answer = within(40, later(20, 'yes'))
  blockFor(200)
  expect(await answer).toBe('yes')
})
