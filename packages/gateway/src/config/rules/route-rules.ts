import { checkPathTemplate, pathShape } from '../schema/path-template.ts'
import { type Draft, entriesAt, findRepeats, isPresent, type Rule, textAt, valueAt } from './draft.ts'

const routesOf = ({ value }: Draft) => entriesAt(value, ['routes'])

const uniqueIds: Rule = (draft) => {
  const ids = routesOf(draft).map((route) => [...route, 'id'])
  return findRepeats(ids, (path) => textAt(draft.value, path)).map(({ entry, first }) => ({
    path: entry,
    message: `duplicate route id${draft.show(entry)}, first used on line ${draft.lineOf(first)}`,
  }))
}

const uniqueEndpoints: Rule = (draft) => {
  const endpointOf = (route: readonly (string | number)[]): string | undefined => {
    const method = textAt(draft.value, [...route, 'method'])
    const path = textAt(draft.value, [...route, 'path'])
    if (method === undefined || path === undefined || checkPathTemplate(path) !== undefined) return undefined
    return `${method} ${pathShape(path)}`
  }
  return findRepeats(routesOf(draft), endpointOf).map(({ entry, first }) => ({
    path: [...entry, 'path'],
    message: `same method and path as the route on line ${draft.lineOf(first)}; parameter names make no difference`,
  }))
}

const licenceHasSource: Rule = (draft) => {
  const tenants = valueAt(draft.value, ['plugins', 'license-check', 'tenants'])
  const filled = typeof tenants === 'object' && tenants !== null && Object.keys(tenants).length > 0
  if (filled || isPresent(draft.value, ['plugins', 'license-check', 'webhook'])) return []
  const licensed = routesOf(draft).map((route) => [...route, 'license'])
  return licensed
    .filter((path) => isPresent(draft.value, path))
    .map((path) => ({
      path,
      message: 'needs plugins.license-check with tenants or a webhook',
      absence: true,
    }))
}

const authoritiesNeedHttps: Rule = (draft) =>
  routesOf(draft).flatMap((route) => {
    const path = [...route, 'ca_file']
    const target = textAt(draft.value, [...route, 'target'])
    const plain = target !== undefined && !/^https:/i.test(target)
    return plain && isPresent(draft.value, path)
      ? [{ path, message: 'needs a target that starts with https://' }]
      : []
  })

/** Rules that tie a route's keys to each other, to other routes and to the plugins. */
export const routeRules: readonly Rule[] = [
  uniqueIds,
  uniqueEndpoints,
  licenceHasSource,
  authoritiesNeedHttps,
]
