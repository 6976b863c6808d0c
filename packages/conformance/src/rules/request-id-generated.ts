import { isUuid4, traceOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Gateway rule 1: a UUID v4 for an absent id. */
export const requestIdGenerated = defineRule({
  id: 'request-id-generated',
  clause: 'gateway.rule-1.request',
  title: 'A request without requestId gets a UUID v4 for it',
  level: 'must',
  looksAt: ['ids.absent'],
  gatewayOnly: true,
  check(observation) {
    const found = traceOf(observation)
    if ('reason' in found) return notObserved(found.reason)
    return isUuid4(found.trace.requestId) ? pass : fail('a UUID v4', found.trace.requestId)
  },
})
