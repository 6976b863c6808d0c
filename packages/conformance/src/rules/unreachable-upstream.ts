import { answerOf, judgeRow } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Decision 5: 502 and 504 are not in the profile. */
export const unreachableUpstream = defineRule({
  id: 'unreachable-upstream',
  clause: 'gateway.unreachable',
  title: 'An upstream that cannot be reached is a failed dependency',
  level: 'must',
  looksAt: ['unreachable-upstream'],
  gatewayOnly: true,
  judgesSilence: true,
  check: (observation) => judgeRow('failed_dependency', answerOf(observation)),
})
