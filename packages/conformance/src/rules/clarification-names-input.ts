import { judgeAsks } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Endpoints, 1: the list names the missing input. */
export const clarificationNamesInput = defineRule({
  id: 'clarification-names-input',
  clause: 'endpoints.1.names-input',
  title: 'A clarification names the missing inputs of the scenario',
  level: 'must',
  looksAt: ['outcomes.clarification_required'],
  check(observation) {
    return judgeAsks(observation)
  },
})
