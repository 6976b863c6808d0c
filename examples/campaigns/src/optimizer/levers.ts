import type { DimensionName } from '../campaigns/metrics.ts'
import type { SuggestionType } from './suggestion.ts'
import type { Group } from './tally.ts'

/** The best and the worst group. */
export interface Extremes {
  readonly best: Group
  readonly worst: Group
}

/** The factor on each group after a change; 1 means no change. */
export type Factors = ReadonlyMap<Group, number>

/** A possible change of a campaign. */
export interface Lever {
  readonly type: SuggestionType
  /** The dimensions of the change. */
  readonly by: readonly DimensionName[]
  /** The factors on the groups; nothing if the change is not possible. */
  pull(groups: readonly Group[], extremes: Extremes): Factors | undefined
  /** The description of the change. */
  say(names: { readonly best: string; readonly worst: string; readonly hasMore: boolean }): string
}

const BID_STEP = 0.2
const BUDGET_SHARE = 0.5

/** Every lever. docs/campaigns.md has their assumptions about the market. */
export const levers: readonly Lever[] = [
  {
    type: 'bid_adjustment',
    by: ['device'],
    pull: raiseBids,
    say: ({ best, worst, hasMore }) =>
      `Raise bids on ${best} by ${percent(BID_STEP)}, at the cost of ${worst}${hasMore ? ' and others' : ''}`,
  },
  {
    type: 'budget_shift',
    by: ['device', 'audience'],
    pull: shiftBudget,
    say: ({ best, worst }) => `Shift ${percent(BUDGET_SHARE)} of the budget of ${worst} to ${best}`,
  },
  {
    type: 'audience_refinement',
    by: ['audience'],
    pull: leaveOut,
    say: ({ best, worst, hasMore }) =>
      `Leave out the audience ${worst}, which does worse than ${best}${hasMore ? ' and all others' : ''}`,
  },
  {
    type: 'creative_rotation',
    by: ['creative'],
    pull: replaceWorst,
    say: ({ best, worst }) => `Show the creative ${best} in place of ${worst}`,
  },
]

function percent(share: number): string {
  return `${share * 100} %`
}

/** The total of impressions stays. The best group gains what the others lose in proportion. */
function raiseBids(groups: readonly Group[], { best }: Extremes): Factors | undefined {
  const own = best.counts.impressions
  const others = groups.reduce((sum, { counts }) => sum + counts.impressions, -own)
  if (own === 0 || others === 0) return undefined
  const gained = Math.min(own * BID_STEP, others)
  return factorsOf(groups, (group) => (group === best ? 1 + gained / own : 1 - gained / others))
}

/** Each group keeps its return per cent. The best group gets at most twice its money. */
function shiftBudget(groups: readonly Group[], { best, worst }: Extremes): Factors | undefined {
  const [from, to] = [worst.counts.spendCents, best.counts.spendCents]
  if (from === 0 || to === 0) return undefined
  const moved = Math.min(from * BUDGET_SHARE, to)
  return factorsOf(groups, (group) => {
    if (group === best) return 1 + moved / to
    return group === worst ? 1 - moved / from : 1
  })
}

/** The remaining groups keep their proportions. */
function leaveOut(groups: readonly Group[], { worst }: Extremes): Factors | undefined {
  return factorsOf(groups, (group) => (group === worst ? 0 : 1))
}

/** The best group gets the impressions of the worst. */
function replaceWorst(groups: readonly Group[], { best, worst }: Extremes): Factors | undefined {
  const own = best.counts.impressions
  if (own === 0) return undefined
  const factor = 1 + worst.counts.impressions / own
  return factorsOf(groups, (group) => {
    if (group === best) return factor
    return group === worst ? 0 : 1
  })
}

function factorsOf(groups: readonly Group[], factorOf: (group: Group) => number): Factors {
  return new Map(groups.map((group) => [group, factorOf(group)]))
}
