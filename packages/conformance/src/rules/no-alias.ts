import { isVendorType, outcomes, outcomeTypeOf } from '@agentic-rest/profile'
import { answerOf, describeHead, outcomeObservations } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Errors: no alias or alternate spelling of a status or media type, also outside the ten. */
export const noAlias = defineRule({
  id: 'no-alias',
  clause: 'table.no-alias',
  title: 'The media type of an answer is the one of the table for its status',
  level: 'must',
  looksAt: [
    ...outcomeObservations,
    'status-url',
    'token.missing',
    'token.invalid',
    'token.forged',
    'tenant.foreign',
    'stream.plain',
  ],
  check(observation) {
    const answer = answerOf(observation)
    if (!isVendorType(answer.essence)) return notObserved('the answer has no media type of the profile')
    const type = outcomeTypeOf(answer.status)
    const allowed = type === undefined ? [...mediaTypes] : [outcomes[type].mediaType]
    if (allowed.some((mediaType) => mediaType === answer.essence)) return pass
    // The rule of the row judges the outcomes of the scenario.
    if (observation.name.startsWith('outcomes.')) return notObserved('the rule of its row judges it')
    return fail(allowed.join(' or '), describeHead(answer))
  },
})

const mediaTypes = new Set<string>(
  Object.values(outcomes)
    .map(({ mediaType }) => mediaType)
    .filter(isVendorType),
)
