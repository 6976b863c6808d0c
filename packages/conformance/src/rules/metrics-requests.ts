import { conditions, headers, outcomeTypes } from '@agentic-rest/profile'
import { answerOf, judgeRow } from '../judge.ts'
import type { Observation } from '../observe/observation.ts'
import {
  type Metrics,
  REQUESTS,
  readMetrics,
  requestsCounted,
  type Sample,
} from '../observe/observe-metrics.ts'
import { defineRule, fail, notObserved, pass, type Verdict } from '../rule.ts'

/** Endpoints, 8: the counter of requests and its labels. */
export const metricsRequests = defineRule({
  id: 'metrics-requests',
  clause: 'metrics.requests',
  title: 'Requests are counted by route, outcome and tenant_id',
  level: 'must',
  looksAt: ['metrics'],
  gatewayOnly: true,
  check(observation) {
    const metrics = readMetrics(answerOf(observation).body)
    const samples = metrics.samples.filter(({ name }) => name === REQUESTS)
    if (!samples.some(({ value }) => Number.isFinite(value)))
      return notObserved('there is no counter of requests with a number')
    return judgeLabels(samples) ?? judgeCount(observation, metrics)
  },
})

function judgeLabels(samples: readonly Sample[]): Verdict | undefined {
  for (const { labels } of samples) {
    const names = [...labels.keys()].toSorted().join(', ')
    if (names !== 'outcome, route, tenant_id') return fail('the labels outcome, route, tenant_id', names)
    const outcome = labels.get('outcome') ?? ''
    if (!isKnown(outcome)) return fail('an outcome of the profile, or a condition', `outcome ${outcome}`)
  }
  return undefined
}

// Decision 25.
const known: readonly string[] = [...outcomeTypes, ...Object.keys(conditions), 'client_disconnect']

function isKnown(outcome: string): boolean {
  return known.includes(outcome) || /^untyped_[1-5]xx$/.test(outcome)
}

/** Checks that the counter includes a request sent between two readings. */
function judgeCount(observation: Observation, after: Metrics): Verdict {
  const { contrast, expected, exchanges } = observation
  if (contrast?.answer === undefined || exchanges.length < 2)
    return notObserved('no request was sent that could be counted')
  const before = readMetrics(exchanges[0]?.answer?.body ?? '')
  const type = expected?.type
  const isOfRow = type !== undefined && judgeRow(type, contrast.answer).result === 'pass'
  const wanted = isOfRow ? { outcome: type, tenant: contrast.request.headers[headers.tenantId] } : {}
  if (requestsCounted(after, wanted) > requestsCounted(before, wanted)) return pass
  const labels = Object.entries(wanted).map(([name, value]) => ` ${name} ${value}`)
  return fail(
    `one request more after a request${labels.join()}`,
    `${requestsCounted(after, wanted)}, as before`,
  )
}
