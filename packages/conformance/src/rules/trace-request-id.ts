import { judgeSentId, tracedObservations } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Resources, trace object: `requestId` is taken from the request. */
export const traceRequestId = defineRule({
  id: 'trace-request-id',
  clause: 'resources.trace.requestId',
  title: 'The trace has the requestId that the request carried',
  level: 'must',
  looksAt: tracedObservations,
  check: (observation) => judgeSentId(observation, 'requestId'),
})
