import { typedBody } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, generic error body: retryAfter belongs to 429. */
export const retryAfterOnlyOnLimit = defineRule({
  id: 'retry-after-only-on-limit',
  clause: 'resources.error.retryAfter',
  title: 'Only the body of an exceeded limit has retryAfter',
  level: 'must',
  looksAt: ['outcomes.forbidden', 'outcomes.failed_dependency', 'outcomes.error', 'deadline'],
  check(observation) {
    const typed = typedBody(observation)
    if ('reason' in typed) return notObserved(typed.reason)
    const { retryAfter } = typed.body
    return retryAfter === undefined ? pass : fail('no retryAfter', `retryAfter ${JSON.stringify(retryAfter)}`)
  },
})
