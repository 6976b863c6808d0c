import { answerOf, judgeRefused } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Authentication. */
export const invalidTokenRefused = defineRule({
  id: 'invalid-token-refused',
  clause: 'authentication.invalid',
  title: 'A request with a false token does not succeed',
  level: 'must',
  looksAt: ['token.invalid'],
  gatewayOnly: true,
  check(observation) {
    return judgeRefused(answerOf(observation))
  },
})
