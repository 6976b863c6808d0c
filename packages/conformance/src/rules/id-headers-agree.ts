import { headerKeys } from '@agentic-rest/profile'
import { answerOf, outcomeObservations } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Decision 14: id headers of an answer equal those of the request. */
export const idHeadersAgree = defineRule({
  id: 'id-headers-agree',
  clause: 'endpoints.headers.ids',
  title: 'Id headers of an answer equal those of the request',
  level: 'must',
  looksAt: outcomeObservations,
  check(observation) {
    const { headers } = answerOf(observation)
    const sent = observation.exchanges.at(-1)?.request.trace ?? {}
    const compared = (['correlationId', 'requestId'] as const).filter((name) => headers.has(headerKeys[name]))
    if (compared.length === 0) return notObserved('the answer has no id headers')
    const wrong = compared.find((name) => headers.get(headerKeys[name]) !== sent[name])
    if (wrong === undefined) return pass
    return fail(
      `${headerKeys[wrong]}: ${sent[wrong]}`,
      `${headerKeys[wrong]}: ${headers.get(headerKeys[wrong])}`,
    )
  },
})
