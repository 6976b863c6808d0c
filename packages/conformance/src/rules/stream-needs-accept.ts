import { answerOf, describeHead, isFine, isJson, isStream } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 7: a stream needs the route mode and the Accept header. */
export const streamNeedsAccept = defineRule({
  id: 'stream-needs-accept',
  clause: 'endpoints.7.accept',
  title: 'A request without Accept: text/event-stream gets JSON',
  level: 'must',
  looksAt: ['stream.plain'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    const streamed = observation.contrast?.answer
    if (streamed === undefined || !isStream(streamed))
      return notObserved('the request with Accept: text/event-stream gets no stream either')
    if (!isJson(answer)) return fail('a JSON answer', describeHead(answer))
    return isFine(answer) ? pass : notObserved('the request does not succeed without a stream')
  },
})
