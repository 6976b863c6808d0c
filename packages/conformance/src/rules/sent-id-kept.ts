import { traceOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Gateway rule 1: only a missing id is generated. */
export const sentIdKept = defineRule({
  id: 'sent-id-kept',
  clause: 'gateway.rule-1.each',
  title: 'An id of the request is kept when the other one is missing',
  level: 'must',
  looksAt: ['ids.request-absent', 'ids.correlation-absent'],
  gatewayOnly: true,
  check(observation) {
    const found = traceOf(observation)
    if ('reason' in found) return notObserved(found.reason)
    const sent = observation.exchanges.at(-1)?.request.trace ?? {}
    const name = sent.correlationId === undefined ? 'requestId' : 'correlationId'
    if (found.trace[name] === sent[name]) return pass
    return fail(`${name} ${sent[name]}`, `${name} ${found.trace[name]}`)
  },
})
