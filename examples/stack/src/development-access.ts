import type { DevelopmentAccess, Person } from '@agentic-rest/gateway'
import { requestTokenAt } from './request-token.ts'

const TIMEOUT_MS = 2_000

/** Tokens and people of the identity provider, for the console. */
export function developmentAccess(identityUrl: string): DevelopmentAccess {
  return {
    people: () => readPeople(identityUrl),
    requestToken: ({ sub, tenant, roles }) =>
      requestTokenAt(identityUrl, { sub, tenant, roles: roles?.join(',') }),
  }
}

async function readPeople(identityUrl: string): Promise<readonly Person[]> {
  const response = await fetch(`${identityUrl}/people`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  return (await response.json()) as readonly Person[]
}
