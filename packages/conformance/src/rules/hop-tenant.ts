import { isFine } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Authentication, 5: the tenant is forwarded unchanged. */
export const hopTenant = defineRule({
  id: 'hop-tenant',
  clause: 'hop.tenant',
  title: 'The inner agent acts for the tenant of the caller',
  level: 'must',
  looksAt: ['graph.hop'],
  judgesSilence: true,
  check(observation) {
    const [before = 0, after = 0] = observation.counts ?? []
    const [first] = observation.exchanges
    if (first?.answer === undefined || !isFine(first.answer)) return notObserved('the call did not succeed')
    return after > before ? pass : fail('a record for the tenant of the caller', 'none', first)
  },
})
