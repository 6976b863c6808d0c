import { answerOf, judgeProfileHeader, outcomeObservations } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Versioning, rule 1, and gateway rule 5. */
export const profileHeader = defineRule({
  id: 'profile-header',
  clause: 'versioning.header',
  title: 'Every agentic response has the profile header',
  level: 'must',
  looksAt: [...outcomeObservations, 'limit', 'deadline'],
  check(observation) {
    return judgeProfileHeader(answerOf(observation))
  },
})
