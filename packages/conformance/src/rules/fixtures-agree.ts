import { judgeFiles } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Versioning, rule 6. */
export const fixturesAgree = defineRule({
  id: 'fixtures-agree',
  clause: 'versioning.fixtures',
  title: 'Every fixture of the corpus agrees with its schema',
  level: 'must',
  looksAt: ['fixtures'],
  check(observation) {
    return judgeFiles(observation)
  },
})
