import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Limits: each tenant has its own limit. */
export const limitPerTenant = defineRule({
  id: 'limit-per-tenant',
  clause: 'limits.per-tenant',
  title: 'A tenant gets a stream while another tenant uses all of its streams',
  level: 'must',
  looksAt: ['limit.other-tenant'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? pass : fail('a stream', describeHead(answer))
  },
})
