import { answerOf, describeHead, isFine, isJson, isStream } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 7: both conditions make a stream. */
export const streamNeedsAccept = defineRule({
  id: 'stream-needs-accept',
  clause: 'endpoints.7.accept',
  title: 'Who does not accept an event stream gets JSON',
  level: 'must',
  looksAt: ['stream.plain'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    const streamed = observation.contrast?.answer
    if (streamed === undefined || !isStream(streamed))
      return notObserved('who does accept an event stream gets none either')
    if (!isJson(answer)) return fail('a JSON answer', describeHead(answer))
    return isFine(answer) ? pass : notObserved('the request does not succeed without a stream')
  },
})
