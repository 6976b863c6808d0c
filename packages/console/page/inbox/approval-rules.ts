import {
  type Approval,
  countApproved,
  hasAsked,
  isOpen,
  stateOf,
  type TokenOwner,
  whyNotDecide,
  wordsOfState,
} from '@agentic-rest/profile/approval'
import type { Family } from '../shell/outcome-family.ts'

/** Whether an approval waits for a decision of the person. */
export function waitsFor(approval: Approval, me: TokenOwner, now: number): boolean {
  return stateOf(approval, now) === 'pending' && whyNotDecide(approval, me) === ''
}

/** Whether the person may withdraw it: its own, not rejected, used or over. */
export function mayWithdraw(approval: Approval, me: TokenOwner, now: number): boolean {
  return hasAsked(approval, me) && isOpen(stateOf(approval, now))
}

/** The displayed name and colour of a state. */
export interface StateView {
  readonly words: string
  readonly family: Family
}

const families: ReadonlyMap<string, Family> = new Map([
  ['pending', 'asks'],
  ['approved', 'done'],
  ['used', 'done'],
  ['rejected', 'refused'],
  ['expired', 'failed'],
])

/** The displayed state of an approval. */
export function viewState(approval: Approval, now: number): StateView {
  const state = stateOf(approval, now)
  const { words } = wordsOfState(state)
  const family = families.get(state) ?? 'background'
  const approved = countApproved(approval)
  const isBegun = state === 'pending' && approved > 0
  return { family, words: isBegun ? `${approved} of ${approval.quorum} approvals` : words }
}
