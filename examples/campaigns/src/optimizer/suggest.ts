import { type Goal, type Measure, measures } from './goals.ts'
import { type Extremes, type Factors, type Lever, levers } from './levers.ts'
import { isAbove, rateOf, sampleOf, wilsonInterval } from './rates.ts'
import type { Suggestion } from './suggestion.ts'
import { type Group, groupBy, type Tally } from './tally.ts'

interface Weighed {
  readonly suggestion: Suggestion
  readonly goalLift: number
}

/**
 * Suggests changes of a campaign for a goal, best first. There is at most one suggestion per lever, and only for a
 * statistically significant difference. The same data gives the same suggestions.
 */
export function suggest(tally: Tally, goal: Goal): readonly Suggestion[] {
  return levers
    .flatMap((lever) => weigh(lever, groupBy(tally, lever.by), measures[goal]))
    .toSorted((one, other) => other.goalLift - one.goalLift)
    .map(({ suggestion }) => suggestion)
}

function weigh(lever: Lever, groups: readonly Group[], measure: Measure): Weighed[] {
  const extremes = findExtremes(groups, measure)
  const factors = extremes && lever.pull(groups, extremes)
  if (extremes === undefined || factors === undefined) return []
  const goalLift = liftOf(groups, factors, measure)
  if (goalLift <= 0) return []
  const ctrLift = liftOf(groups, factors, measures.ctr)
  const description = describe({ lever, extremes, hasMore: groups.length > 2, measure, goalLift, ctrLift })
  return [{ goalLift, suggestion: { type: lever.type, description, estimatedCtrLift: ctrLift } }]
}

/** The best and the worst group, if they differ significantly. */
function findExtremes(groups: readonly Group[], measure: Measure): Extremes | undefined {
  const judged = groups.map((group) => ({ group, ...wilsonInterval(sampleOf(group.counts, measure)) }))
  const [best] = judged.toSorted((one, other) => other.low - one.low)
  const [worst] = judged.toSorted((one, other) => one.high - other.high)
  if (best === undefined || worst === undefined) return undefined
  const extremes = { best: best.group, worst: worst.group }
  const [good, bad] = [extremes.best, extremes.worst].map(({ counts }) => sampleOf(counts, measure))
  return good !== undefined && bad !== undefined && isAbove(good, bad) ? extremes : undefined
}

/** The relative change of the campaign's rate after a change of its groups. Groups keep their rates. */
function liftOf(groups: readonly Group[], factors: Factors, { of, per }: Measure): number {
  const rate = (factorOf: (group: Group) => number) => {
    const sum = (name: Measure['of']) =>
      groups.reduce((total, group) => total + factorOf(group) * group.counts[name], 0)
    return rateOf({ of: sum(of), per: sum(per) })
  }
  const before = rate(() => 1)
  if (before === 0) return 0
  return round(rate((group) => factors.get(group) ?? 1) / before - 1)
}

// Few enough digits to read.
const DIGITS = 4

function round(value: number): number {
  // Adding 0 removes a negative zero, which JSON hides but a comparison does not.
  return Number(value.toFixed(DIGITS)) + 0
}

interface Described {
  readonly lever: Lever
  readonly extremes: Extremes
  /** Whether there are more than two groups. */
  readonly hasMore: boolean
  readonly measure: Measure
  readonly goalLift: number
  readonly ctrLift: number
}

function describe({ lever, extremes, hasMore, measure, goalLift, ctrLift }: Described): string {
  const { best, worst } = extremes
  const change = lever.say({ best: best.name, worst: worst.name, hasMore })
  const reason = `${measure.title} ${showRate(best, measure)} against ${showRate(worst, measure)}`
  const gain = `For the whole campaign that is ${showLift(goalLift)} better`
  const sideEffect = `, and its click-through rate ${ctrLift < 0 ? 'falls' : 'rises'} by ${showLift(Math.abs(ctrLift))}`
  return `${change}: ${reason}. ${gain}${measure === measures.ctr || ctrLift === 0 ? '' : sideEffect}.`
}

function showLift(lift: number): string {
  return `${(lift * 100).toFixed(1)} %`
}

function showRate({ counts }: Group, measure: Measure): string {
  const sample = sampleOf(counts, measure)
  const { low, high } = wilsonInterval(sample)
  return `${measure.show(rateOf(sample))} (95 % sure: ${measure.show(low, high)})`
}
