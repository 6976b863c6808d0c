import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Limits: the limit is of each tenant. */
export const limitPerTenant = defineRule({
  id: 'limit-per-tenant',
  clause: 'limits.per-tenant',
  title: 'Another tenant gets a stream while the first has all of its own',
  level: 'must',
  looksAt: ['limit.other-tenant'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? pass : fail('a stream', describeHead(answer))
  },
})
