import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Limits: what is counted are concurrent streams. */
export const limitReturned = defineRule({
  id: 'limit-returned',
  clause: 'limits.concurrent',
  title: 'A tenant gets a stream again when its others are closed',
  level: 'must',
  looksAt: ['limit.after'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? pass : fail('a stream', describeHead(answer))
  },
})
