import { judgeSentId, tracedObservations } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Resources, trace object: `correlationId` comes from the request. */
export const traceCorrelationId = defineRule({
  id: 'trace-correlation-id',
  clause: 'resources.trace.correlationId',
  title: 'The trace has the correlationId of the request',
  level: 'must',
  looksAt: tracedObservations,
  check: (observation) => judgeSentId(observation, 'correlationId'),
})
