import { conditions } from '@agentic-rest/profile'
import { answerOf, typedBody } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Limits: retryAfter should be set. */
export const limitRetryAfter = defineRule({
  id: 'limit-retry-after',
  clause: 'limits.retryAfter',
  title: 'The refusal of a stream says when to try again',
  level: 'should',
  looksAt: ['limit'],
  check(observation) {
    const typed = typedBody(observation)
    if ('reason' in typed || answerOf(observation).status !== conditions.limit_exceeded)
      return notObserved('nothing was refused with an error body')
    return 'retryAfter' in typed.body ? pass : fail('retryAfter', 'a body without it')
  },
})
