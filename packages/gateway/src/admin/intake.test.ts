import { expect, test } from 'vitest'
import { createIntake } from './intake.ts'

test('a second admits so many bytes and no more, and the next one so many again', () => {
  const clock = { now: 0 }
  const intake = createIntake(1000, () => clock.now)
  expect([intake.admits(600), intake.admits(400), intake.admits(1)]).toEqual([true, true, false])
  clock.now = 500
  expect([intake.admits(501), intake.admits(500)]).toEqual([false, true])
  clock.now = 100_000
  expect([intake.admits(1001), intake.admits(1000), intake.admits(1)]).toEqual([false, true, false])
})
