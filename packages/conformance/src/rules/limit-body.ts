import { conditions } from '@agentic-rest/profile'
import { answerOf, judgeError } from '../judge.ts'
import { defineRule, notObserved } from '../rule.ts'

/** Errors, rule 4. */
export const limitBody = defineRule({
  id: 'limit-body',
  clause: 'limits.body',
  title: 'The refusal of a stream is an error body with LIMIT_EXCEEDED',
  level: 'must',
  looksAt: ['limit'],
  check(observation) {
    const answer = answerOf(observation)
    if (answer.status !== conditions.limit_exceeded) return notObserved('nothing was refused')
    return judgeError(observation, 'LIMIT_EXCEEDED')
  },
})
