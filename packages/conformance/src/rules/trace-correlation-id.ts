import { traceOf, typedObservations } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, trace object: `correlationId` is taken from the request. */
export const traceCorrelationId = defineRule({
  id: 'trace-correlation-id',
  clause: 'resources.trace.correlationId',
  title: 'The trace has the correlationId that the request carried',
  level: 'must',
  looksAt: typedObservations,
  check(observation) {
    const found = traceOf(observation)
    const sent = observation.exchanges.at(-1)?.request.trace.correlationId
    if ('reason' in found || sent === undefined) return notObserved('the answer has no trace to compare')
    return found.trace.correlationId === sent ? pass : fail(sent, found.trace.correlationId)
  },
})
