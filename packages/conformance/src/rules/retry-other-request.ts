import { headers, isObject, outcomes } from '@agentic-rest/profile'
import { describeHead, isFine } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Decision 30: a key is for one request. */
export const retryOtherRequest = defineRule({
  id: 'retry-other-request',
  clause: 'idempotency.request',
  title: 'Another request with a used key is refused at the key',
  level: 'should',
  looksAt: ['retry.changed'],
  check(observation) {
    const [first, changed] = observation.exchanges.map(({ answer }) => answer)
    if (first === undefined || changed === undefined || !isFine(first))
      return notObserved('the first request did not succeed')
    if (changed.status !== outcomes.validation_failed.status)
      return fail(`${outcomes.validation_failed.status} at ${headers.idempotencyKey}`, describeHead(changed))
    return fieldsOf(changed.json?.value).includes(headers.idempotencyKey.toLowerCase())
      ? pass
      : notObserved('the changed request was refused for another reason')
  },
})

function fieldsOf(body: unknown): string[] {
  const errors = isObject(body) && Array.isArray(body['errors']) ? body['errors'] : []
  return errors.map((error: unknown) => (isObject(error) ? String(error['field']).toLowerCase() : ''))
}
