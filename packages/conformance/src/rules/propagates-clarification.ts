import { answerOf, askedNames, judgeAsks, judgeRow } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Errors, rule 5: the question uses the input names of the called agent. */
export const propagatesClarification = defineRule({
  id: 'propagates-clarification',
  clause: 'propagation.clarification_required',
  title: 'An agent forwards the question of an inner agent, with its own input names',
  level: 'should',
  looksAt: ['graph.clarification_required'],
  judgesSilence: true,
  check(observation) {
    const row = judgeRow('clarification_required', answerOf(observation))
    if (row.result !== 'pass') return row
    const asks = judgeAsks(observation)
    if (asks.result === 'fail') return asks
    const foreign = askedNames(observation).find((name) => observation.expected?.hides?.includes(name))
    return foreign === undefined ? pass : fail('inputs of the called agent', `an input ${foreign}`)
  },
})
