import { judgeFiles } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Versioning, rule 6. */
export const packageDeclaration = defineRule({
  id: 'package-declaration',
  clause: 'versioning.declaration',
  title: 'Every published package declares the profile',
  level: 'must',
  looksAt: ['packages'],
  check(observation) {
    return judgeFiles(observation)
  },
})
