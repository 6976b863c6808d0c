import { judgeGeneratedId } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Gateway rule 1: a UUID v4 for an absent id. */
export const requestIdGenerated = defineRule({
  id: 'request-id-generated',
  clause: 'gateway.rule-1.request',
  title: 'A request without requestId gets a UUID v4 for it',
  level: 'must',
  looksAt: ['ids.absent', 'token.missing-without-ids'],
  gatewayOnly: true,
  check: (observation) => judgeGeneratedId(observation, 'requestId'),
})
