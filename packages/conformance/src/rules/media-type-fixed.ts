import { describeHead, judgeRow } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** What the service does: a type has one media type, independent of the Accept header. */
export const mediaTypeFixed = defineRule({
  id: 'media-type-fixed',
  clause: 'table.fixed',
  title: 'The media type of an outcome does not depend on the Accept header',
  level: 'must',
  looksAt: ['accept'],
  check(observation) {
    const [usual, asked] = observation.exchanges
    const [first, second] = [usual?.answer, asked?.answer]
    const type = observation.expected?.type
    if (first === undefined || second === undefined || type === undefined)
      return notObserved('there are no two answers to compare')
    if (judgeRow(type, first).result !== 'pass') return notObserved('the answer is of another row')
    if (first.status === second.status && first.essence === second.essence) return pass
    return fail(describeHead(first), describeHead(second))
  },
})
