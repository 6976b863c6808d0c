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
    // An answer outside the ten outcomes is agentic if it has a media type of the profile.
    const isAgentic = observation.name.startsWith('outcomes.') || isVendorType(answer.essence)
    return isAgentic ? judgeProfileHeader(answer) : notObserved('the answer has no media type of the profile')
  },
})
