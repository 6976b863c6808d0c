import { headerKeys, headers } from '@agentic-rest/profile'
import { isFine } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Decision 30: a stored outcome is marked. */
export const retryMarked = defineRule({
  id: 'retry-marked',
  clause: 'idempotency.marked',
  title: 'A stored outcome says that it is a replay, and the first answer does not',
  level: 'should',
  looksAt: ['retry'],
  check(observation) {
    const [first, second] = observation.exchanges.map(({ answer }) => answer)
    if (first === undefined || second === undefined || !isFine(first) || first.status !== second.status)
      return notObserved('the retry did not get the outcome of the first request')
    const marks = [first, second].map((answer) => answer.headers.get(headerKeys.idempotencyReplayed))
    return marks[0] === undefined && marks[1] === 'true'
      ? pass
      : fail(
          `${headers.idempotencyReplayed}: true on the retry alone`,
          marks.map((mark) => mark ?? 'none').join(', then '),
        )
  },
})
