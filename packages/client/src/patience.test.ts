import { describe, expect, test } from 'vitest'
import { attachAnswer } from './answer.ts'
import { createPatience } from './patience.ts'

function start(maxWaitMs: number, random = 0) {
  const waits: number[] = []
  const clock = {
    now: () => 0,
    random: () => random,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  }
  return { waits, patience: createPatience({ clock, maxWaitMs, signal: undefined }) }
}

function told(seconds: string) {
  const trace = { correlationId: 'c', requestId: 'r' }
  const headers = new Headers({ 'Retry-After': seconds })
  return attachAnswer({ type: 'success', body: 1 }, { status: 200, headers, trace, profile: undefined })
}

describe('patience', () => {
  test.each([
    [0, [125, 250, 500, 1000, 2000, 4000, 5000, 5000]],
    [1, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]],
  ])('with chance %d waits longer each time, up to a limit', async (random, expected) => {
    const { waits, patience } = start(Number.POSITIVE_INFINITY, random)
    for (let attempt = 0; attempt < 8; attempt += 1) expect(await patience.pause(attempt)).toBe(true)
    expect(waits).toEqual(expected)
  })

  test('waits as long as it is told', async () => {
    const { waits, patience } = start(10_000)
    expect(await patience.pause(5, told('7'))).toBe(true)
    expect(waits).toEqual([7000])
  })

  test('that is told not to wait at all waits nevertheless', async () => {
    const { waits, patience } = start(10_000)
    for (let attempt = 0; attempt < 3; attempt += 1) await patience.pause(attempt, told('0'))
    expect(waits).toEqual([125, 250, 500])
  })

  test('does not begin a wait that it has not got', async () => {
    const { waits, patience } = start(10_000)
    expect(await patience.pause(0, told('6'))).toBe(true)
    expect(await patience.pause(0, told('5'))).toBe(false)
    expect(await patience.pause(0, told('4'))).toBe(true)
    expect(await patience.pause(0)).toBe(false)
    expect(await patience.pause(0, told('9'.repeat(400)))).toBe(false)
    expect(waits).toEqual([6000, 4000])
  })
})
