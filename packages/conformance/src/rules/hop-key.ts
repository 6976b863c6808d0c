import { judgeEffects } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Retry rule 1: the key is forwarded unchanged. */
export const hopKey = defineRule({
  id: 'hop-key',
  clause: 'idempotency.hop',
  title: 'A retry through an agent has no effect at the inner agent',
  level: 'must',
  looksAt: ['graph.hop'],
  check(observation) {
    return judgeEffects(observation)
  },
})
