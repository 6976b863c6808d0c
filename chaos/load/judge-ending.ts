import { conditions, outcomes } from '@agentic-rest/profile'
import type { Ending } from '../caller.ts'

/** Whether a service has answered it, as it was asked to. */
export function isServed(ending: Ending): boolean {
  return ending.type === 'answer' && ending.answer.status === outcomes.success.status
}

/** Whether the gateway has sent it elsewhere, for whatever reason. */
export function isTurnedAway(ending: Ending): boolean {
  return ending.type === 'answer' && ending.answer.status === conditions.unavailable
}

/** Whether it was turned away because there was too much to do, which says more about the machine than about the gateway. */
export function isOverload(ending: Ending): boolean {
  return isTurnedAway(ending) && ending.type === 'answer' && codeOf(ending.answer.body) === 'OVERLOADED'
}

function codeOf(body: string): string | undefined {
  return (JSON.parse(body) as { code?: string }).code
}
