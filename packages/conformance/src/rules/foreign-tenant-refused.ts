import { judgeRefused } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Authentication. */
export const foreignTenantRefused = defineRule({
  id: 'foreign-tenant-refused',
  clause: 'authentication.tenant',
  title: 'A request for a tenant that the token does not allow is refused',
  level: 'must',
  looksAt: ['tenant.foreign'],
  gatewayOnly: true,
  check(observation) {
    return judgeRefused(observation)
  },
})
