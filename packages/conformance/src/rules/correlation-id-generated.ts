import { judgeGeneratedId } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Gateway rule 1: a UUID v4 for an absent id. */
export const correlationIdGenerated = defineRule({
  id: 'correlation-id-generated',
  clause: 'gateway.rule-1.correlation',
  title: 'A request without correlationId gets a UUID v4 for it',
  level: 'must',
  looksAt: ['ids.absent', 'token.missing-without-ids'],
  gatewayOnly: true,
  check: (observation) => judgeGeneratedId(observation, 'correlationId'),
})
