import { judgeFaults } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Resources, requiredInputs element; an empty list is a violation (Limits). */
export const clarificationInputs = defineRule({
  id: 'clarification-inputs',
  clause: 'resources.requiredInputs',
  title: 'A clarification asks for at least one input, with all its fields',
  level: 'must',
  looksAt: ['outcomes.clarification_required', 'graph.clarification_required'],
  check(observation) {
    return judgeFaults(observation, 'inputs')
  },
})
