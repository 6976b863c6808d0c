import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@agentic-rest/profile'
import { describeHead, isFine } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Retry rule 2: a retry gets the stored outcome. */
export const retrySameOutcome = defineRule({
  id: 'retry-same-outcome',
  clause: 'idempotency.outcome',
  title: 'A retry with the same key gets the same outcome',
  level: 'must',
  looksAt: ['retry'],
  judgesSilence: true,
  check(observation) {
    const [first, second] = observation.exchanges.map(({ answer }) => answer)
    if (first === undefined || second === undefined || !isFine(first))
      return notObserved('the first request did not succeed')
    if (first.status !== second.status || first.essence !== second.essence)
      return fail(describeHead(first), describeHead(second))
    const [one, other] = [first, second].map(({ json }) => withoutTrace(json?.value))
    return isDeepStrictEqual(one, other) ? pass : fail('the body of the first answer', 'another body')
  },
})

/** The trace differs: it is that of the retry. */
function withoutTrace(body: unknown): unknown {
  if (!isObject(body)) return body
  const { trace: _, ...rest } = body
  return rest
}
