import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ConfigPath, type LoadedResult, type RouteConfig, tryRoute } from '@agentic-rest/gateway'
import { conditions, outcomes } from '@agentic-rest/profile'
import type { PeopleResult } from '@agentic-rest/stack'
import { describeService, fetchDocument, type ServiceOperation } from '../routes/service-document.ts'

/** The ids of the findings of `agentic check --live`, each with its meaning. */
export const liveRules = {
  'target-unreachable': 'With --live: a target does not answer.',
  'document-missing': 'With --live: a service has no OpenAPI document, so that its routes are not checked.',
  'route-unknown': 'With --live: the service does not have the operation of a route.',
  'operation-unrouted': 'With --live: no route reaches an operation of the service.',
  'follow-up-unrouted': 'With --live: a status or an approval address of an answer has no route.',
  'people-invalid': 'With --live: people.yaml is not valid.',
  'role-unheld': 'With --live: nobody in people.yaml has the role.',
} as const

/** A finding of the live check. */
export interface LiveFinding {
  readonly id: keyof typeof liveRules
  readonly path: ConfigPath
  readonly message: string
}

type Loaded = Extract<LoadedResult, { ok: true }>

/** Compares a configuration with the services behind it, and its roles with the people beside it. */
export async function checkLive(loaded: Loaded): Promise<LiveFinding[]> {
  const routes = loaded.config.routes.map((route, index) => ({ ...route, index }))
  const groups = [...Map.groupBy(routes, ({ target }) => target)]
  const found = await Promise.all(groups.map(([target, group]) => checkTarget(target, group, loaded)))
  const roles = [
    ...routes.map(({ roles: all, index }) => ({ roles: all, index })),
    ...found.flatMap(({ approvers }) => approvers),
  ]
  // Loaded here: without --live, a check does not need the stack.
  const { peopleBeside } = await import('@agentic-rest/stack')
  return [...found.flatMap(({ findings }) => findings), ...checkPeople(peopleBeside(loaded.file), roles)]
}

type IndexedRoute = RouteConfig & { readonly index: number }

/** Roles that one person needs for a route. */
interface NeededRoles {
  readonly index: number
  readonly roles: readonly string[]
}

interface TargetResult {
  readonly findings: readonly LiveFinding[]
  readonly approvers: readonly NeededRoles[]
}

async function checkTarget(
  target: string,
  routes: readonly IndexedRoute[],
  loaded: Loaded,
): Promise<TargetResult> {
  const place: ConfigPath = ['routes', routes[0]?.index ?? 0, 'target']
  const authorities = routes.find(({ ca_file }) => ca_file !== undefined)?.ca_file
  const url = new URL(`${target.replace(/\/+$/, '')}/openapi.json`)
  // A missing file is a finding of its own.
  const ca = authorities !== undefined && existsSync(authorities) ? readFileSync(authorities) : undefined
  const fetched = await fetchDocument(url, ca)
  if (fetched.type === 'silent') {
    const message = `the service at ${target} does not answer (${fetched.reason})`
    return { findings: [{ id: 'target-unreachable', path: place, message }], approvers: [] }
  }
  if (fetched.type === 'absent') {
    const message = `the service at ${target} has no OpenAPI document at /openapi.json: ${fetched.reason}`
    return { findings: [{ id: 'document-missing', path: place, message }], approvers: [] }
  }
  const { operations } = describeService(fetched.api)
  const routed = operations.map((operation) => ({ operation, index: findRoute(operation, target, loaded) }))
  return {
    findings: [...unknownRoutes(routes, operations), ...unrouted(routed, { target, file: loaded.file })],
    approvers: routed.flatMap(({ operation: { approvalRole }, index }) =>
      approvalRole === undefined || index === undefined ? [] : [{ index, roles: [approvalRole] }],
    ),
  }
}

interface RoutedOperation {
  readonly operation: ServiceOperation
  /** The index of its route. */
  readonly index: number | undefined
}

/** The route that the gateway takes for an operation, if it leads to the service. */
function findRoute(
  { method, path }: ServiceOperation,
  target: string,
  { config, customPlugins, file }: Loaded,
): number | undefined {
  const options = { customPlugins, baseFolder: dirname(resolve(file)) }
  const trial = tryRoute(config, { method, target: path.replaceAll(/\{\w+\}/g, 'agentic-check') }, options)
  if (trial.type !== 'route' || trial.route.target !== target) return undefined
  return config.routes.findIndex(({ id }) => id === trial.route.id)
}

function unknownRoutes(
  routes: readonly IndexedRoute[],
  operations: readonly ServiceOperation[],
): LiveFinding[] {
  const unknown = routes.filter(
    (route) => route.method !== 'OPTIONS' && !operations.some((operation) => answers(operation, route)),
  )
  return unknown.map(({ index, method, path, target }) => ({
    id: 'route-unknown',
    path: ['routes', index, 'path'],
    message: `the service at ${target} has no ${method} ${path}`,
  }))
}

const isParameter = (segment: string | undefined) => segment?.startsWith('{') === true

/** Whether some request of a route is one of an operation. */
function answers(operation: ServiceOperation, route: RouteConfig): boolean {
  const method = route.method === 'HEAD' ? 'GET' : route.method
  const [theirs, ours] = [operation.path.split('/'), route.path.split('/')]
  return (
    operation.method === method &&
    theirs.length === ours.length &&
    theirs.every(
      (segment, index) => isParameter(segment) || isParameter(ours[index]) || segment === ours[index],
    )
  )
}

function unrouted(
  all: readonly RoutedOperation[],
  { target, file }: { readonly target: string; readonly file: string },
): LiveFinding[] {
  return all.flatMap(({ operation, index }): LiveFinding[] => {
    const { method, path, serves } = operation
    if (index !== undefined) return []
    if (serves === undefined) {
      const message = `no route reaches ${method} ${path} of the service at ${target}: "agentic routes add ${file} --from ${target}" adds it`
      return [{ id: 'operation-unrouted', path: ['routes'], message }]
    }
    const [first] = all.filter((other) => other.index !== undefined && leadsTo(other.operation, serves))
    if (first?.index === undefined) return []
    const { status } = serves === 'background' ? outcomes.accepted : outcomes.approval_required
    const message = `a ${status} of this route leads to ${method} ${path}, which has no route: callers get ${conditions.not_found}`
    return [{ id: 'follow-up-unrouted', path: ['routes', first.index], message }]
  })
}

function leadsTo(operation: ServiceOperation, serves: NonNullable<ServiceOperation['serves']>): boolean {
  return serves === 'background' ? operation.async : operation.approvalRole !== undefined
}

const PEOPLE = 'people.yaml'

/** Roles that nobody in the file beside the configuration has. */
function checkPeople(result: PeopleResult | undefined, needed: readonly NeededRoles[]): LiveFinding[] {
  if (result === undefined) return []
  if (!result.ok)
    return result.faults.map(({ line, path, message }) => ({
      id: 'people-invalid',
      path: [],
      message: `${PEOPLE}:${line}: ${path === '' ? '' : `${path}: `}${message}`,
    }))
  const held = new Set(result.people.flatMap(({ roles }) => roles))
  return needed.flatMap(({ index, roles }): LiveFinding[] => {
    const path: ConfigPath = ['routes', index]
    const unheld = roles.filter((role) => !held.has(role))
    if (unheld.length > 0)
      return unheld.map((role) => ({
        id: 'role-unheld',
        path,
        message: `nobody in ${PEOPLE} has the role ${JSON.stringify(role)}`,
      }))
    if (result.people.some((person) => roles.every((role) => person.roles.includes(role)))) return []
    return [{ id: 'role-unheld', path, message: `nobody in ${PEOPLE} has all roles of this route` }]
  })
}
