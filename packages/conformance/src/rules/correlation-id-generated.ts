import { isUuid4, traceOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Gateway rule 1: a UUID v4 for an absent id. */
export const correlationIdGenerated = defineRule({
  id: 'correlation-id-generated',
  clause: 'gateway.rule-1.correlation',
  title: 'A request without correlationId gets a UUID v4 for it',
  level: 'must',
  looksAt: ['ids.absent'],
  gatewayOnly: true,
  check(observation) {
    const found = traceOf(observation)
    if ('reason' in found) return notObserved(found.reason)
    return isUuid4(found.trace.correlationId) ? pass : fail('a UUID v4', found.trace.correlationId)
  },
})
