import { judgeAsks } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Endpoints, 1: the list names the input that is missing. */
export const clarificationNamesInput = defineRule({
  id: 'clarification-names-input',
  clause: 'endpoints.1.names-input',
  title: 'A clarification names the inputs that the scenario leaves out',
  level: 'must',
  looksAt: ['outcomes.clarification_required'],
  check(observation) {
    return judgeAsks(observation)
  },
})
