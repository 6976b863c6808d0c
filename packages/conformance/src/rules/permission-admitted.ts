import { answerOf, judgeAdmitted, judgeRow } from '../judge.ts'
import { defineRule, notObserved } from '../rule.ts'

/** Authentication, 6: 403 is for callers without the permission, not for everybody. */
export const permissionAdmitted = defineRule({
  id: 'permission-admitted',
  clause: 'authentication.permission',
  title: 'A route that refuses a caller without a permission admits a caller with it',
  level: 'must',
  looksAt: ['outcomes.forbidden'],
  check(observation) {
    const row = judgeRow('forbidden', answerOf(observation))
    return row.result === 'pass' ? judgeAdmitted(observation) : notObserved('the refusal is not forbidden')
  },
})
