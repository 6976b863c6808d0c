import { answerOf, judgeRow, judgeSentId } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Gateway rule 3; decision 7. */
export const mismatchedUpstream = defineRule({
  id: 'mismatched-upstream',
  clause: 'gateway.rule-3',
  title: 'An upstream answer with the trace of another request becomes an error',
  level: 'must',
  looksAt: ['mismatched-upstream'],
  gatewayOnly: true,
  judgesSilence: true,
  check(observation) {
    const row = judgeRow('error', answerOf(observation))
    if (row.result !== 'pass') return row
    const ids = (['correlationId', 'requestId'] as const).map((name) => judgeSentId(observation, name))
    return ids.find(({ result }) => result === 'fail') ?? row
  },
})
