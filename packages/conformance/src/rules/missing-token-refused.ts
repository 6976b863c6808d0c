import { judgeRefused } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Authentication. */
export const missingTokenRefused = defineRule({
  id: 'missing-token-refused',
  clause: 'authentication.missing',
  title: 'A request without a token is refused',
  level: 'must',
  looksAt: ['token.missing'],
  gatewayOnly: true,
  check(observation) {
    return judgeRefused(observation)
  },
})
