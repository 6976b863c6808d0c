import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Limits: only concurrent streams are counted. */
export const limitReturned = defineRule({
  id: 'limit-returned',
  clause: 'limits.concurrent',
  title: 'A tenant gets a stream again after its other streams are closed',
  level: 'must',
  looksAt: ['limit.after'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? pass : fail('a stream', describeHead(answer))
  },
})
