import { describe, expect, test } from 'vitest'
import { chooseTarget, mayEject, type Weighted } from './choose-target.ts'

interface Named extends Weighted {
  readonly name: string
}

function target(name: string, { weight = 1, active = 0, isOpen = true, share = 1 } = {}): Named {
  return { name, weight, state: { active, isOpen: () => isOpen, share: () => share } }
}

/** Draws with the fractions in turn. */
function choose(targets: readonly Named[], fractions: readonly number[], without: readonly Named[] = []) {
  const left = [...fractions]
  return chooseTarget(targets, { now: 0, random: () => left.shift() ?? 0, without })?.name
}

/** The part of many evenly spread draws that each target gets. */
function sharesOf(targets: readonly Named[]): Record<string, number> {
  const steps = 40
  const counts: Record<string, number> = {}
  for (let first = 0; first < steps; first += 1)
    for (let second = 0; second < steps; second += 1) {
      const name = choose(targets, [first / steps, second / steps]) ?? 'none'
      counts[name] = (counts[name] ?? 0) + 1 / steps ** 2
    }
  return counts
}

describe('the choice of a target', () => {
  test('of two targets the less loaded one is taken, whichever is drawn first', () => {
    const pair = [target('busy', { active: 3 }), target('free', { active: 2 })]
    expect([choose(pair, [0, 0]), choose(pair, [0.9, 0])]).toEqual(['free', 'free'])
  })

  test('equal loads are shared evenly, and idle targets by their weights', () => {
    expect(sharesOf([target('a'), target('b')])).toEqual({ a: expect.closeTo(0.5), b: expect.closeTo(0.5) })
    const weighted = sharesOf([target('a', { weight: 3 }), target('b')])
    expect(weighted).toEqual({ a: expect.closeTo(0.75), b: expect.closeTo(0.25) })
  })

  test('loads are compared per weight', () => {
    const pair = [target('large', { weight: 4, active: 3 }), target('small', { active: 1 })]
    expect([choose(pair, [0, 0]), choose(pair, [0.99, 0])]).toEqual(['large', 'large'])
  })

  test('a target that starts gets a small part', () => {
    const shares = sharesOf([target('warm'), target('cold', { share: 0.1 })])
    expect(shares['cold']).toBeLessThan(0.15)
    expect(shares['cold']).toBeGreaterThan(0)
  })

  test('closed and tried targets are never chosen', () => {
    const [open, closed, tried] = [target('open'), target('closed', { isOpen: false }), target('tried')]
    expect(choose([closed, tried, open], [0.5, 0.5], [tried])).toBe('open')
    expect(choose([closed, tried], [0.5, 0.5], [tried])).toBeUndefined()
    expect(choose([], [])).toBeUndefined()
  })

  test('the largest fraction draws the last target', () => {
    expect(choose([target('a'), target('b'), target('c')], [1 - Number.EPSILON / 2, 0])).toBe('c')
  })
})

test('ejection takes at most the given part of the targets out', () => {
  expect([mayEject(2, 0, 50), mayEject(2, 1, 50)]).toEqual([true, false])
  expect([mayEject(1, 0, 50), mayEject(1, 0, 100)]).toEqual([false, true])
  expect([mayEject(3, 0, 50), mayEject(3, 1, 50)]).toEqual([true, false])
  expect(mayEject(10, 0, 0)).toBe(false)
})
