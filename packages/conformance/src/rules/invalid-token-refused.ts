import { judgeRefused } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Authentication. */
export const invalidTokenRefused = defineRule({
  id: 'invalid-token-refused',
  clause: 'authentication.invalid',
  title: 'A request with a false token is refused',
  level: 'must',
  looksAt: ['token.invalid', 'token.forged'],
  gatewayOnly: true,
  check(observation) {
    return judgeRefused(observation)
  },
})
