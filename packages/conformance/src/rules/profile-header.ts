import { isVendorType } from '@agentic-rest/profile'
import { answerOf, judgeProfileHeader, outcomeObservations, typedObservations } from '../judge.ts'
import { defineRule, notObserved } from '../rule.ts'

/** Versioning, rule 1, and gateway rule 5. */
export const profileHeader = defineRule({
  id: 'profile-header',
  clause: 'versioning.header',
  title: 'Every agentic response has the profile header',
  level: 'must',
  looksAt: [...new Set([...outcomeObservations, ...typedObservations])],
  check(observation) {
    const answer = answerOf(observation)
    // What a gateway answers outside the ten is agentic when its media type says so.
    const isAgentic = observation.name.startsWith('outcomes.') || isVendorType(answer.essence)
    return isAgentic ? judgeProfileHeader(answer) : notObserved('the answer has no media type of the profile')
  },
})
