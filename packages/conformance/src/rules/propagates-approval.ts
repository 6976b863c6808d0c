import { answerOf, judgeRow } from '../judge.ts'
import { valueAt } from '../observe/json-path.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Errors, rule 5: an approval must not become a success. */
export const propagatesApproval = defineRule({
  id: 'propagates-approval',
  clause: 'propagation.approval_required',
  title: 'An agent forwards the approval of an inner agent, with its approver',
  level: 'should',
  looksAt: ['graph.approval_required'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    const row = judgeRow('approval_required', answer)
    const wanted = observation.expected?.approver
    if (row.result !== 'pass' || wanted === undefined) return row
    const got = valueAt(answer.json?.value, '$.approver.name')
    return got === wanted
      ? pass
      : fail(`approver ${wanted}`, `approver ${JSON.stringify(got) ?? 'not named'}`)
  },
})
