import { judgeAdmitted, rowRule } from '../judge.ts'
import { defineRule, notObserved } from '../rule.ts'

const row = rowRule('forbidden')

/** Errors, table: the row of `forbidden`. A route that refuses everybody does not show it. */
export const rowForbidden = defineRule({
  ...row,
  check(observation) {
    const verdict = row.check(observation)
    if (verdict.result !== 'pass') return verdict
    const admitted = judgeAdmitted(observation)
    return admitted.result === 'fail' ? notObserved('the route refuses the admitted caller too') : admitted
  },
})
