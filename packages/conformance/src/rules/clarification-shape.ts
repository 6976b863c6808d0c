import { judgeFaults } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, rule 2. */
export const clarificationShape = defineRule({
  id: 'clarification-shape',
  clause: 'versioning.clarification',
  title: 'A clarification has its type, its code and a message',
  level: 'must',
  looksAt: ['outcomes.clarification_required', 'graph.clarification_required'],
  check(observation) {
    return judgeFaults(observation, 'clarification')
  },
})
