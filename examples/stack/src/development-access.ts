import type { DevelopmentAccess } from '@agentic-rest/gateway'
import { readPeople, requestTokenAt } from './request-token.ts'

/** Tokens and people of the identity provider, for the console. */
export function developmentAccess(identityUrl: string): DevelopmentAccess {
  return {
    people: () => readPeople(identityUrl),
    requestToken: ({ sub, tenant, roles }) =>
      requestTokenAt(identityUrl, { sub, tenant, roles: roles?.join(',') }),
  }
}
