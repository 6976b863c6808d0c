import { headerKeys } from '@agentic-rest/profile'
import { answerOf, typedBody } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Decision 2: header and body have the same value. */
export const limitRetryAfterHeader = defineRule({
  id: 'limit-retry-after-header',
  clause: 'limits.retry-after-header',
  title: 'The Retry-After header of a refusal equals retryAfter',
  level: 'should',
  looksAt: ['limit'],
  check(observation) {
    const typed = typedBody(observation)
    const { retryAfter } = 'reason' in typed ? {} : typed.body
    const value = answerOf(observation).headers.get(headerKeys.retryAfter)
    if (value === undefined || retryAfter === undefined)
      return notObserved('header and body do not both have it')
    return value === String(retryAfter) ? pass : fail(String(retryAfter), value)
  },
})
