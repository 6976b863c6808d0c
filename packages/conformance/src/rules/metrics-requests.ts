import { answerOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 8: the counter of requests and its labels. */
export const metricsRequests = defineRule({
  id: 'metrics-requests',
  clause: 'metrics.requests',
  title: 'Requests are counted by route, outcome and tenant_id',
  level: 'must',
  looksAt: ['metrics'],
  gatewayOnly: true,
  check(observation) {
    const sample = /^agentic_requests_total\{(.*)\} \S+/m.exec(answerOf(observation).body)
    if (sample === null) return notObserved('there is no counter of requests')
    const labels = [...String(sample[1]).matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)]
      .map(([, name]) => name)
      .toSorted()
    if (labels.join() === 'outcome,route,tenant_id') return pass
    return fail('the labels outcome, route, tenant_id', labels.join(', '))
  },
})
