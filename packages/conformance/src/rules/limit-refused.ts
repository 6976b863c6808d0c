import { conditions } from '@agentic-rest/profile'
import { answerOf, describeHead } from '../judge.ts'
import { defineRule, fail, pass } from '../rule.ts'

/** Limits: above the limit, 429. */
export const limitRefused = defineRule({
  id: 'limit-refused',
  clause: 'limits.concurrency',
  title: 'A stream above the limit of a tenant is refused',
  level: 'must',
  looksAt: ['limit'],
  judgesSilence: true,
  check(observation) {
    const answer = answerOf(observation)
    const [early] = observation.faults ?? []
    if (early !== undefined)
      return fail('as many streams as the scenario names', `${describeHead(answer)} for ${early}`)
    if (answer.status === conditions.limit_exceeded) return pass
    return fail(String(conditions.limit_exceeded), describeHead(answer))
  },
})
