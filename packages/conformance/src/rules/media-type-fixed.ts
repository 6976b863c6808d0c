import { isVendorType } from '@agentic-rest/profile'
import { describeHead } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** What the service does: a type has one media type, whatever the caller would like to have. */
export const mediaTypeFixed = defineRule({
  id: 'media-type-fixed',
  clause: 'table.fixed',
  title: 'The media type of an outcome does not depend on what the caller accepts',
  level: 'must',
  looksAt: ['accept'],
  check(observation) {
    const [usual, asked] = observation.exchanges
    const [first, second] = [usual?.answer, asked?.answer]
    if (first === undefined || second === undefined || !isVendorType(first.essence))
      return notObserved('the answer has no media type of the profile')
    if (first.status === second.status && first.essence === second.essence) return pass
    return fail(describeHead(first), describeHead(second))
  },
})
