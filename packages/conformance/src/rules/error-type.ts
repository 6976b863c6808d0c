import { type OutcomeType, outcomes, outcomeTypeOf } from '@agentic-rest/profile'
import { answerOf, typedBody, typeOf } from '../judge.ts'
import type { Observation } from '../observe/observation.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, generic error body: three outcomes share it, and `type` names the outcome. Outside the ten it is `error` (decision 2). */
export const errorType = defineRule({
  id: 'error-type',
  clause: 'resources.error.type',
  title: 'The type of a generic error body is that of its outcome',
  level: 'must',
  looksAt: [
    'outcomes.forbidden',
    'outcomes.failed_dependency',
    'outcomes.error',
    'limit',
    'deadline',
    'token.missing',
    'token.invalid',
    'token.forged',
    'tenant.foreign',
    'traceless-upstream',
    'mismatched-upstream',
    'unreachable-upstream',
  ],
  check(observation) {
    const typed = typedBody(observation)
    if ('reason' in typed) return notObserved(typed.reason)
    const type = typeByStatus(observation)
    if (type === undefined) return notObserved('the answer is of another row')
    const { type: got } = typed.body
    // Any other value is a fault of the schema.
    if (got === type || !shared.includes(String(got))) return pass
    return fail(`type ${type}`, `type ${got}`)
  },
})

const shared = ['forbidden', 'failed_dependency', 'error']

function typeByStatus(observation: Observation): OutcomeType | undefined {
  const { status, essence } = answerOf(observation)
  if (essence !== outcomes.error.mediaType) return undefined
  const type = outcomeTypeOf(status) ?? 'error'
  // A refusal may have any of the three types. Elsewhere one outcome is expected, and the rule of its row reports others.
  const isFree = /^(limit|token|tenant)/.test(observation.name)
  return shared.includes(type) && (isFree || type === typeOf(observation)) ? type : undefined
}
