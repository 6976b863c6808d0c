import { answerOf, judgeRow } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Gateway rule 4. */
export const tracelessUpstream = defineRule({
  id: 'traceless-upstream',
  clause: 'gateway.rule-4',
  title: 'An upstream answer without a trace becomes an error',
  level: 'must',
  looksAt: ['traceless-upstream'],
  gatewayOnly: true,
  judgesSilence: true,
  check(observation) {
    return judgeRow('error', answerOf(observation))
  },
})
