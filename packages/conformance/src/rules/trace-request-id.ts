import { judgeSentId, tracedObservations } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Resources, trace object: `requestId` comes from the request. */
export const traceRequestId = defineRule({
  id: 'trace-request-id',
  clause: 'resources.trace.requestId',
  title: 'The trace has the requestId of the request',
  level: 'must',
  looksAt: tracedObservations,
  check: (observation) => judgeSentId(observation, 'requestId'),
})
