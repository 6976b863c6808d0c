import { outcomes } from '@agentic-rest/profile'
import { answerOf, describeHead, isStream } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Endpoints, 7. */
export const streamContentType = defineRule({
  id: 'stream-content-type',
  clause: 'endpoints.7.content-type',
  title: 'A stream is text/event-stream',
  level: 'must',
  looksAt: ['stream'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    if (isStream(answer)) return pass
    return fail(`${outcomes.success.status} text/event-stream`, describeHead(answer))
  },
})
