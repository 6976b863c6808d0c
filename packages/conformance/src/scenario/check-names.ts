import { didYouMean } from './did-you-mean.ts'
import type { Finding } from './parse-scenario.ts'
import type { Scenario } from './scenario-schema.ts'

/** What a request says instead of the name of a token to be sent without one. */
export const NO_TOKEN = 'none'

/** Every token and service that is named has to be declared. */
export function checkNames(scenario: Scenario): Finding[] {
  const tokens = Object.keys(scenario.tokens ?? {})
  const known = new Map([
    ['token', [...tokens, NO_TOKEN]],
    ['service', Object.keys(scenario.services ?? {})],
  ])
  const { tokens: _, services: __, ...rest } = scenario
  return wrongNames(rest, [], known)
}

// Bodies and headers are the service's own: a member that happens to be called "token" means nothing here.
const opaque = ['body', 'headers']

function wrongNames(
  value: unknown,
  path: readonly PropertyKey[],
  known: ReadonlyMap<string, readonly string[]>,
): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => wrongNames(item, [...path, index], known))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => {
    if (opaque.includes(key)) return []
    const names = known.get(key)
    if (names === undefined || typeof child !== 'string') return wrongNames(child, [...path, key], known)
    if (names.includes(child)) return []
    const message = `there is no ${key} of that name in ${key}s${didYouMean(child, names)}`
    return [{ path: [...path, key], message }]
  })
}
