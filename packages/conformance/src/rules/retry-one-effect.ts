import { judgeEffects } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Retry rule 2: side effects are not repeated. */
export const retryOneEffect = defineRule({
  id: 'retry-one-effect',
  clause: 'idempotency.effect',
  title: 'A retry with the same key has no effect',
  level: 'must',
  looksAt: ['retry'],
  check(observation) {
    return judgeEffects(observation)
  },
})
