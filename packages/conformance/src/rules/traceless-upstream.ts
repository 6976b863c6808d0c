import { isTrace } from '@agentic-rest/profile'
import { answerOf, judgeRow, typedBody } from '../judge.ts'
import { defineRule, fail } from '../rule.ts'

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
    const row = judgeRow('error', answerOf(observation))
    const typed = typedBody(observation)
    if (row.result !== 'pass' || 'reason' in typed || isTrace(typed.body['trace'])) return row
    return fail('an error with a trace', 'an answer without one')
  },
})
