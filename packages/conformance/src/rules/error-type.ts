import { answerOf, judgeRow, typedBody, typeOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Resources, generic error body: three outcomes share it, and `type` says which. */
export const errorType = defineRule({
  id: 'error-type',
  clause: 'resources.error.type',
  title: 'The type of a generic error body is that of its outcome',
  level: 'must',
  looksAt: ['outcomes.forbidden', 'outcomes.failed_dependency', 'outcomes.error', 'deadline'],
  check(observation) {
    const type = typeOf(observation)
    const typed = typedBody(observation)
    if ('reason' in typed) return notObserved(typed.reason)
    if (judgeRow(type, answerOf(observation)).result !== 'pass')
      return notObserved('the answer is of another row')
    const { type: got } = typed.body
    // A value that none of the three has is a fault of the schema.
    if (got === type || !shared.includes(String(got))) return pass
    return fail(`type ${type}`, `type ${got}`)
  },
})

const shared = ['forbidden', 'failed_dependency', 'error']
