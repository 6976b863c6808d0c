import { answerOf, judgeRow } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, rule 5: never 500 and never a success. */
export const propagatesFailedDependency = defineRule({
  id: 'propagates-failed-dependency',
  clause: 'propagation.failed_dependency',
  title: 'An agent forwards the failed dependency of an inner agent',
  level: 'must',
  looksAt: ['graph.failed_dependency'],
  judgesSilence: true,
  check(observation) {
    return judgeRow('failed_dependency', answerOf(observation))
  },
})
