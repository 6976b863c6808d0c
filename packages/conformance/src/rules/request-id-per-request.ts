import { traceOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, trace object: each request has its own id. */
export const requestIdPerRequest = defineRule({
  id: 'request-id-per-request',
  clause: 'resources.trace.per-request',
  title: 'Two requests without a request id get different ones',
  level: 'must',
  looksAt: ['ids.absent'],
  gatewayOnly: true,
  check(observation) {
    const [first, second] = observation.exchanges.map((exchange) =>
      traceOf({ ...observation, exchanges: [exchange] }),
    )
    if (first === undefined || second === undefined || 'reason' in first || 'reason' in second)
      return notObserved('the answers have no traces to compare')
    if (first.trace.requestId !== second.trace.requestId) return pass
    return fail('two request ids', `${first.trace.requestId} twice`)
  },
})
