import { answerOf, askedNames, judgeAsks, judgeRow } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Errors, rule 5: the question is asked in the names of the agent that is called. */
export const propagatesClarification = defineRule({
  id: 'propagates-clarification',
  clause: 'propagation.clarification_required',
  title: 'An agent passes on the question of the agent behind it, in its own names',
  level: 'should',
  looksAt: ['graph.clarification_required'],
  judgesSilence: true,
  check(observation) {
    const row = judgeRow('clarification_required', answerOf(observation))
    if (row.result !== 'pass') return row
    const asks = judgeAsks(observation)
    if (asks.result === 'fail') return asks
    const foreign = askedNames(observation).find((name) => observation.expected?.hides?.includes(name))
    return foreign === undefined ? pass : fail('inputs of the agent that was called', `an input ${foreign}`)
  },
})
