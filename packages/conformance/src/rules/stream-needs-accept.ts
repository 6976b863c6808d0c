import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Endpoints, 7: both conditions make a stream. */
export const streamNeedsAccept = defineRule({
  id: 'stream-needs-accept',
  clause: 'endpoints.7.accept',
  title: 'Who does not accept an event stream gets none',
  level: 'must',
  looksAt: ['stream.plain'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? fail('a JSON answer', describeHead(answer)) : pass
  },
})
