import { traceOf, typedObservations } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, trace object: `requestId` is taken from the request. */
export const traceRequestId = defineRule({
  id: 'trace-request-id',
  clause: 'resources.trace.requestId',
  title: 'The trace has the requestId that the request carried',
  level: 'must',
  looksAt: typedObservations,
  check(observation) {
    const found = traceOf(observation)
    const sent = observation.exchanges.at(-1)?.request.trace.requestId
    if ('reason' in found || sent === undefined) return notObserved('the answer has no trace to compare')
    return found.trace.requestId === sent ? pass : fail(sent, found.trace.requestId)
  },
})
