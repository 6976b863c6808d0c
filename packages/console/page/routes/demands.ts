import type { Route } from '../api/bodies.ts'

/** What a route demands of a request and of its answer. */
export function demandsOf(route: Route): string[] {
  const { roles, scopes, allow, license, mode, executionTimeoutSeconds, conformance } = route
  return [
    roles.length > 0 && `role ${roles.join(', ')}`,
    scopes.length > 0 && `scope ${scopes.join(', ')}`,
    allow !== null && `allow ${allow}`,
    license !== null && `licence ${license}`,
    mode === 'sse' && 'can stream',
    executionTimeoutSeconds > 0 && `${executionTimeoutSeconds} s at most`,
    conformance !== '' && `conformance ${conformance}`,
  ].filter((demand) => demand !== false)
}
