import { answerOf, isStream } from '../judge.ts'
import { eventTimes } from '../observe/event-clock.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 7: a stream is not buffered. */
export const streamFlushed = defineRule({
  id: 'stream-flushed',
  clause: 'endpoints.7.flushing',
  title: 'The first event of a stream arrives before its last',
  level: 'must',
  looksAt: ['stream'],
  check(observation) {
    const answer = answerOf(observation)
    if (!isStream(answer)) return notObserved('the answer is not a stream')
    const [first, ...others] = eventTimes(answer.arrivals)
    if (first === undefined) return fail('an event', answer.cut ?? 'the end of the answer')
    const last = others.at(-1)
    if (last === undefined) return notObserved('a single event does not show whether streams are buffered')
    const rest = last - first
    if (rest >= APART_MS) return pass
    if (answer.elapsedMs < LASTING_MS) return notObserved(`the stream was over within ${LASTING_MS} ms`)
    return fail(
      'events one after the other',
      `all of them within ${Math.round(rest)} ms, after ${Math.round(first)} ms`,
    )
  },
})

const APART_MS = 50
const LASTING_MS = 200
