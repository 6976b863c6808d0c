import { judgeFaults, typedObservations } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Versioning, rule 6. */
export const bodySchema = defineRule({
  id: 'body-schema',
  clause: 'versioning.schema',
  title: 'Every vendor-typed body validates against the schema of its version',
  level: 'must',
  looksAt: typedObservations,
  check(observation) {
    return judgeFaults(observation, 'schema')
  },
})
