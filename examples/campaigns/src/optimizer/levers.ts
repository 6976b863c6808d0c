import type { DimensionName } from '../campaigns/metrics.ts'
import type { SuggestionType } from './suggestion.ts'
import type { Group } from './tally.ts'

/** The two groups that differ most. */
export interface Extremes {
  readonly best: Group
  readonly worst: Group
}

/** How much of each group there is after a change; 1 is as much as before. */
export type Factors = ReadonlyMap<Group, number>

/** Something that can be changed about a campaign. */
export interface Lever {
  readonly type: SuggestionType
  /** What it acts on. */
  readonly by: readonly DimensionName[]
  /** What becomes of each group; nothing where the change is not possible. */
  pull(groups: readonly Group[], extremes: Extremes): Factors | undefined
  /** The change in words; there may be no more groups than the two. */
  say(names: { readonly best: string; readonly worst: string; readonly hasMore: boolean }): string
}

const BID_STEP = 0.2
const BUDGET_SHARE = 0.5

/** Every lever. What each assumes about the market is in docs/campaigns.md. */
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

/** There are as many impressions as before: what the best group gains, the others lose in proportion. */
function raiseBids(groups: readonly Group[], { best }: Extremes): Factors | undefined {
  const own = best.counts.impressions
  const others = groups.reduce((sum, { counts }) => sum + counts.impressions, -own)
  if (own === 0 || others === 0) return undefined
  const gained = Math.min(own * BID_STEP, others)
  return factorsOf(groups, (group) => (group === best ? 1 + gained / own : 1 - gained / others))
}

/** Each group keeps what it gets for its money. At most twice the money can be spent on the best. */
function shiftBudget(groups: readonly Group[], { best, worst }: Extremes): Factors | undefined {
  const [from, to] = [worst.counts.spendCents, best.counts.spendCents]
  if (from === 0 || to === 0) return undefined
  const moved = Math.min(from * BUDGET_SHARE, to)
  return factorsOf(groups, (group) => {
    if (group === best) return 1 + moved / to
    return group === worst ? 1 - moved / from : 1
  })
}

/** What is left keeps its proportions. */
function leaveOut(groups: readonly Group[], { worst }: Extremes): Factors | undefined {
  return factorsOf(groups, (group) => (group === worst ? 0 : 1))
}

/** The best takes over the impressions of the worst. */
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
