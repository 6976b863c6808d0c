import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DailyMetrics } from '../campaigns/metrics.ts'
import { goals } from './goals.ts'
import { suggest } from './suggest.ts'
import { addDays, emptyTally } from './tally.ts'

const plain = {
  day: '2026-05-04',
  device: 'mobile',
  audience: 'all',
  creative: 'text',
  impressions: 10_000,
  reach: 5_000,
  clicks: 200,
  leads: 20,
  qualifiedLeads: 10,
  conversions: 10,
  spendCents: 10_000,
} satisfies DailyMetrics

const suggestFor = (days: readonly DailyMetrics[], goal: (typeof goals)[number] = 'ctr') =>
  suggest(addDays(emptyTally, days), goal)

const liftsOf = (days: readonly DailyMetrics[], goal: (typeof goals)[number] = 'ctr') =>
  Object.fromEntries(suggestFor(days, goal).map(({ type, estimatedCtrLift }) => [type, estimatedCtrLift]))

test('nothing follows from no data, from one group, or from groups that do the same', () => {
  for (const goal of goals) {
    expect(suggestFor([], goal)).toEqual([])
    expect(suggestFor([plain], goal)).toEqual([])
    expect(suggestFor([plain, { ...plain, device: 'desktop', audience: 'b', creative: 'c' }], goal)).toEqual(
      [],
    )
  }
})

test('bids: the better device gets a fifth more impressions, which the others lose', () => {
  const days = [
    { ...plain, clicks: 300 },
    { ...plain, device: 'desktop', clicks: 100 },
  ]
  // Before 400 of 20,000; after 12,000 at 3 % and 8,000 at 1 % are 440.
  expect(liftsOf(days)['bid_adjustment']).toBe(0.1)
  // With 500 on mobile it is 600 of 20,000 before and 12,000 at 5 % and 8,000 at 1 % = 680 after.
  expect(liftsOf([{ ...plain, clicks: 500 }, ...days.slice(1)])['bid_adjustment']).toBe(0.1333)
})

test('others are spoken of only where there are some', () => {
  const wordsOf = (days: readonly DailyMetrics[]) =>
    Object.fromEntries(suggestFor(days).map(({ type, description }) => [type, description.split(':')[0]]))
  const best = { ...plain, clicks: 300 }
  const worst = { ...plain, device: 'desktop', audience: 'new', clicks: 100 }
  const middle = { ...plain, device: 'tablet', audience: 'old', clicks: 200 }
  expect(wordsOf([best, worst])).toMatchObject({
    bid_adjustment: 'Raise bids on mobile by 20 %, at the cost of desktop',
    audience_refinement: 'Leave out the audience new, which does worse than all',
  })
  expect(wordsOf([best, worst, middle])).toMatchObject({
    bid_adjustment: 'Raise bids on mobile by 20 %, at the cost of desktop and others',
    audience_refinement: 'Leave out the audience new, which does worse than all and all others',
  })
})

test('bids: there are no more impressions to gain than the others have', () => {
  const days = [
    { ...plain, clicks: 300 },
    {
      ...plain,
      device: 'desktop',
      impressions: 1_000,
      reach: 500,
      clicks: 5,
      leads: 0,
      qualifiedLeads: 0,
      conversions: 0,
    },
  ]
  // A fifth of 10,000 would be 2,000; the 1,000 there are make 11,000 at 3 % in place of 305 of 11,000.
  expect(liftsOf(days)['bid_adjustment']).toBe(0.082)
})

test('creatives: the better one is shown in place of the worse one', () => {
  const days = [
    { ...plain, clicks: 300 },
    { ...plain, creative: 'video', clicks: 100 },
  ]
  // 20,000 at 3 % in place of 400 of 20,000.
  expect(liftsOf(days)).toEqual({ creative_rotation: 0.5 })
})

test('audiences: the worst one is left out, and budget goes from the worst combination to the best', () => {
  const days = [
    { ...plain, clicks: 300, spendCents: 15_000 },
    { ...plain, audience: 'b', clicks: 200 },
    { ...plain, audience: 'c', clicks: 100, spendCents: 5_000 },
  ]
  // Left out: 500 of 20,000 in place of 600 of 30,000.
  // Budget: 2,500 cents from c, which loses half, to the first, which gains a sixth: 350 + 200 + 50 = 600 clicks of
  // 11,666.67 + 10,000 + 5,000 = 26,666.67 impressions.
  expect(liftsOf(days)).toEqual({ audience_refinement: 0.25, budget_shift: 0.125 })
})

test('the goal is what groups are judged by, and the lift is always that of the click-through rate', () => {
  const days = [
    { ...plain, clicks: 300, conversions: 10 },
    { ...plain, creative: 'video', clicks: 100, conversions: 90 },
  ]
  expect(liftsOf(days, 'ctr')).toEqual({ creative_rotation: 0.5 })
  // Conversions are better with the video, which is clicked less: 200 clicks of 20,000 in place of 400.
  expect(liftsOf(days, 'conversions')).toEqual({ creative_rotation: -0.5 })
  expect(liftsOf(days, 'conversion_rate')).toEqual({ creative_rotation: -0.5 })
  expect(suggestFor(days, 'conversions')[0]?.description).toBe(
    'Show the creative video in place of text: conversions per impression 0.90 % (95 % sure: 0.73 % to 1.10 %) ' +
      'against 0.10 % (95 % sure: 0.05 % to 0.18 %). For the whole campaign that is 80.0 % better, and its ' +
      'click-through rate falls by 50.0 %.',
  )
})

test.each([
  ['reach', { reach: 8_000 }],
  ['cpl', { leads: 100, clicks: 200 }],
  ['lead_quality', { qualifiedLeads: 20 }],
] as const)('%s is measured by its own numbers', (goal, better) => {
  const days = [plain, { ...plain, creative: 'video', ...better }]
  const [suggestion, ...others] = suggestFor(days, goal)
  expect(others).toEqual([])
  expect(suggestion).toMatchObject({ type: 'creative_rotation', estimatedCtrLift: 0 })
  expect(suggestFor(days, 'ctr')).toEqual([])
})

test('a cost per lead is told as a cost, with the lower bound first', () => {
  const days = [plain, { ...plain, creative: 'video', leads: 100 }]
  expect(suggestFor(days, 'cpl')[0]?.description).toMatch(
    /^Show the creative video in place of text: cost per lead 1\.00 \(95 % sure: 0\.82 to 1\.22\) against 5\.00 /,
  )
})

test('the best suggestion comes first', () => {
  const days = [
    { ...plain, clicks: 400 },
    { ...plain, device: 'desktop', creative: 'video', clicks: 100 },
  ]
  expect(suggestFor(days).map(({ type }) => type)).toEqual([
    'creative_rotation',
    'budget_shift',
    'bid_adjustment',
  ])
})

test('names that look joined are kept apart', () => {
  const days = [
    { ...plain, device: 'a, b', audience: 'c', clicks: 300 },
    { ...plain, device: 'a', audience: 'b, c', clicks: 100 },
  ]
  // Half of the worse one's money: 300 + 150 + 50 clicks of 10,000 + 5,000 + 5,000 impressions.
  expect(liftsOf(days)['budget_shift']).toBe(0.25)
})

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
const row = fc
  .record({
    day: fc.constantFrom('2026-05-04', '2026-05-05'),
    device: name,
    audience: name,
    creative: name,
    impressions: fc.nat({ max: 100_000 }),
    spendCents: fc.nat({ max: 100_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...rest }): DailyMetrics => {
    const part = (of: number) => Math.floor(of * share)
    const clicks = part(rest.impressions)
    const leads = part(clicks)
    return { ...rest, reach: clicks, clicks, leads, qualifiedLeads: part(leads), conversions: leads }
  })

test('any data gives at most one suggestion of each type, with numbers, whatever the order and the steps', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 40 }),
      fc.constantFrom(...goals),
      fc.nat(40),
      (rows, goal, cut) => {
        const suggestions = suggestFor(rows, goal)
        expect(new Set(suggestions.map(({ type }) => type)).size).toBe(suggestions.length)
        for (const { estimatedCtrLift } of suggestions) {
          expect(estimatedCtrLift).toBeGreaterThanOrEqual(goal === 'ctr' ? 0.0001 : -1)
          expect(Number.isFinite(estimatedCtrLift)).toBe(true)
        }
        expect(suggestFor(rows.toReversed(), goal)).toEqual(suggestions)
        const inSteps = addDays(addDays(emptyTally, rows.slice(0, cut)), rows.slice(cut))
        expect(suggest(inSteps, goal)).toEqual(suggestions)
      },
    ),
  )
})
