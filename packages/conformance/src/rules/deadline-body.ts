import { answerOf, judgeError, judgeRow } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, rule 4, and Limits. */
export const deadlineBody = defineRule({
  id: 'deadline-body',
  clause: 'deadline.body',
  title: 'A request beyond its deadline is an error with EXECUTION_TIMEOUT',
  level: 'must',
  looksAt: ['deadline'],
  judgesSilence: true,
  check(observation) {
    const row = judgeRow('error', answerOf(observation))
    return row.result === 'pass' ? judgeError(observation, 'EXECUTION_TIMEOUT') : row
  },
})
