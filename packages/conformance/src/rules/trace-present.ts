import { isTrace } from '@agentic-rest/profile'
import { typedBody, typedObservations } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Errors, rule 1. */
export const tracePresent = defineRule({
  id: 'trace-present',
  clause: 'versioning.trace',
  title: 'Every vendor-typed body carries a trace with two non-empty ids',
  level: 'must',
  // Another rule covers an upstream without a trace. A refusal needs a trace also when the request had no ids to copy.
  looksAt: [
    ...typedObservations.filter((name) => name !== 'traceless-upstream'),
    'token.missing-without-ids',
  ],
  check(observation) {
    const typed = typedBody(observation)
    if ('reason' in typed) return notObserved(typed.reason)
    if (isTrace(typed.body['trace'])) return pass
    return fail('a trace with correlationId and requestId', JSON.stringify(typed.body['trace']) ?? 'no trace')
  },
})
