import { answerOf, isStream, judgeProfileHeader } from '../judge.ts'
import { defineRule, notObserved } from '../rule.ts'

/** Versioning, rule 6, for streams; Endpoints, 7. */
export const streamProfileHeader = defineRule({
  id: 'stream-profile-header',
  clause: 'versioning.header.stream',
  title: 'A stream has the profile header',
  level: 'must',
  looksAt: ['stream'],
  check(observation) {
    const answer = answerOf(observation)
    return isStream(answer) ? judgeProfileHeader(answer) : notObserved('the answer is not a stream')
  },
})
