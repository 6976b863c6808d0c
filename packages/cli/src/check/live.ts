import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  type ConfigPath,
  type GatewayConfig,
  type LoadedResult,
  type Person,
  type RouteConfig,
  tryRoute,
} from '@agentic-rest/gateway'
import { conditions, fillTemplate, headers, outcomes } from '@agentic-rest/profile'
import type { PeopleResult } from '@agentic-rest/stack'
import {
  describeService,
  fetchDocument,
  type ServiceOperation,
  type TlsFiles,
} from '../routes/service-document.ts'
import { checkTools, type ToolFinding, toolRules } from './live-tools.ts'

/** The ids of the findings of `agentic check --live`, each with its meaning. */
export const liveRules = {
  'target-unreachable': 'With --live: a target does not answer.',
  'document-missing': 'With --live: a service has no OpenAPI document, so that its routes are not checked.',
  'route-unknown': 'With --live: the service does not have the operation of a route.',
  'operation-unrouted': 'With --live: no route reaches an operation of the service.',
  'follow-up-unrouted':
    'With --live: a status or an approval address of an answer has no route, or one to another service.',
  'keys-kept-twice':
    'With --live: the service of a route with onUnknown: refuse looks after idempotency keys itself.',
  'stream-mode':
    'With --live: a route has mode: sse and the operation of the service does not stream, or the other way round.',
  'no-target': 'With --live: the file has no route, so that there is no target to ask.',
  'people-invalid': 'With --live: people.yaml is not valid.',
  'tenant-not-allowed':
    'With --live: the tenant of a person in people.yaml is not in tenant-injector.allowed.',
  'role-unheld': 'With --live: nobody in people.yaml has the role.',
  ...toolRules,
} as const

/** A finding of the live check. */
export interface LiveFinding {
  readonly id: keyof typeof liveRules | ToolFinding['id']
  readonly path: ConfigPath
  readonly message: string
}

type Loaded = Extract<LoadedResult, { ok: true }>

/** Compares a configuration with the services behind it, and its roles with the people beside it. */
export async function checkLive(loaded: Loaded, progress: (message: string) => void): Promise<LiveFinding[]> {
  const routes = loaded.config.routes.map((route, index) => ({
    ...route,
    ...tlsFilesOf(route, loaded.config),
    index,
  }))
  const leading = routes.flatMap((route) =>
    addressesOf(route, loaded.config).map((address) => ({ route, address })),
  )
  const groups = [...Map.groupBy(leading, ({ address }) => address)].map(
    ([address, all]) => [address, all.map(({ route }) => route)] as const,
  )
  const found = await Promise.all(
    groups.map(([target, group]) => checkTarget(target, group, { loaded, progress })),
  )
  const roles = [
    ...routes.map(({ roles: all, index }) => ({ roles: all, index })),
    ...found.flatMap(({ approvers }) => approvers),
  ]
  // Loaded here: without --live, a check does not need the stack.
  const { peopleBeside } = await import('@agentic-rest/stack')
  const { allowed } = loaded.config.plugins['tenant-injector']
  return [
    ...(routes.length === 0 ? [NO_TARGET] : []),
    ...found.flatMap(({ findings }) => findings),
    ...(await checkTools(loaded.config)),
    ...checkPeople(peopleBeside(loaded.file), { roles, allowed }),
  ]
}

const NO_TARGET: LiveFinding = {
  id: 'no-target',
  path: ['routes'],
  message:
    'there is no route and so no target to ask: "npx agentic routes add FILE --from URL" adds the routes of a service',
}

/** The addresses that a route leads to: its target, or the targets of its upstream. */
function addressesOf(
  { target, upstream = '' }: RouteConfig,
  { upstreams }: GatewayConfig,
): readonly string[] {
  if (target !== undefined) return [target]
  const { targets = [], dns } = upstreams[upstream] ?? {}
  return dns === undefined ? targets.map(({ url }) => url) : [`${dns.scheme}://${dns.name}:${dns.port}`]
}

/** An upstream has the files for TLS of its targets. */
function tlsFilesOf({ upstream = '' }: RouteConfig, { upstreams }: GatewayConfig) {
  const { ca_file, client_cert_file, client_key_file } = upstreams[upstream] ?? {}
  return {
    ...(ca_file !== undefined && { ca_file }),
    ...(client_cert_file !== undefined && { client_cert_file }),
    ...(client_key_file !== undefined && { client_key_file }),
  }
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
  { loaded, progress }: { readonly loaded: Loaded; readonly progress: (message: string) => void },
): Promise<TargetResult> {
  const [first] = routes
  const place: ConfigPath = [
    'routes',
    first?.index ?? 0,
    first?.upstream === undefined ? 'target' : 'upstream',
  ]
  const url = new URL(`${target.replace(/\/+$/, '')}/openapi.json`)
  const fetched = await fetchDocument(url, {
    tls: readTlsFiles(routes),
    onSlow: () => progress(`the service at ${target} does not answer yet: waiting for it`),
  })
  if (fetched.type === 'silent') {
    const message = `the service at ${target} does not answer (${fetched.reason})`
    return { findings: [{ id: 'target-unreachable', path: place, message }], approvers: [] }
  }
  if (fetched.type === 'absent') {
    const message = `the service at ${target} has no OpenAPI document at /openapi.json: ${fetched.reason}`
    return { findings: [{ id: 'document-missing', path: place, message }], approvers: [] }
  }
  const { operations, followsProfile } = describeService(fetched.api)
  const routed = operations.map((operation) => ({ operation, ...findRoute(operation, target, loaded) }))
  return {
    findings: [
      ...unknownRoutes(routes, operations, target),
      ...unrouted(routed, { target, file: loaded.file }),
      ...keptTwice(routes, operations, target),
      // Documents of others often leave their streams out.
      ...(followsProfile ? streamModes(routes, operations, target) : []),
    ],
    approvers: routed.flatMap(({ operation: { approvalRole }, index }) =>
      approvalRole === undefined || index === undefined ? [] : [{ index, roles: [approvalRole] }],
    ),
  }
}

/** The authorities and the client certificate for a target, each of the first route that has one. */
function readTlsFiles(routes: readonly IndexedRoute[]): TlsFiles {
  // A missing file is a finding of its own.
  const read = (file: string | undefined) =>
    file !== undefined && existsSync(file) ? readFileSync(file) : undefined
  const certified = routes.find(({ client_cert_file }) => client_cert_file !== undefined)
  const ca = read(routes.find(({ ca_file }) => ca_file !== undefined)?.ca_file)
  const [cert, key] = [read(certified?.client_cert_file), read(certified?.client_key_file)]
  return { ...(ca && { ca }), ...(cert && key && { cert, key }) }
}

interface RoutedOperation {
  readonly operation: ServiceOperation
  /** The index of its route. */
  readonly index?: number | undefined
  /** The route that leads to another service instead. */
  readonly other?: RouteConfig | undefined
}

/** The route that the gateway takes for an operation; it may lead to another service. */
function findRoute(
  { method, path }: ServiceOperation,
  target: string,
  { config, customPlugins, file }: Loaded,
): Omit<RoutedOperation, 'operation'> {
  const options = { customPlugins, baseFolder: dirname(resolve(file)) }
  const trial = tryRoute(config, { method, target: fillTemplate(path, () => 'agentic-check') }, options)
  if (trial.type !== 'route') return {}
  const index = config.routes.findIndex(({ id }) => id === trial.route.id)
  return addressesOf(trial.route, config).includes(target) ? { index } : { other: config.routes[index] }
}

function unknownRoutes(
  routes: readonly IndexedRoute[],
  operations: readonly ServiceOperation[],
  target: string,
): LiveFinding[] {
  const unknown = routes.filter(
    (route) => route.method !== 'OPTIONS' && !operations.some((operation) => answers(operation, route)),
  )
  return unknown.map(({ index, method, path }) => ({
    id: 'route-unknown',
    path: ['routes', index, 'path'],
    message: `the service at ${target} has no ${method} ${path}`,
  }))
}

/** The service answers a retry better than the gateway: it knows whether a call without an answer had an effect. */
function keptTwice(
  routes: readonly IndexedRoute[],
  operations: readonly ServiceOperation[],
  target: string,
): LiveFinding[] {
  const twice = routes.filter(
    (route) =>
      route.idempotency !== undefined &&
      route.idempotency.mode !== 'off' &&
      route.idempotency.onUnknown === 'refuse' &&
      operations.some((operation) => operation.honoursKeys && answers(operation, route)),
  )
  return twice.map(({ index }) => ({
    id: 'keys-kept-twice',
    path: ['routes', index, 'idempotency'],
    message: `the service at ${target} honours ${headers.idempotencyKey} itself: leave idempotency off, or set onUnknown to resend`,
  }))
}

/** Without `mode: sse` a stream is ended by the deadline of an ordinary answer. */
function streamModes(
  routes: readonly IndexedRoute[],
  operations: readonly ServiceOperation[],
  target: string,
): LiveFinding[] {
  return routes.flatMap((route): LiveFinding[] => {
    const [operation] = operations.filter((each) => answers(each, route))
    if (operation === undefined || operation.streams === (route.mode === 'sse')) return []
    const { method, path } = operation
    const message = operation.streams
      ? `${method} ${path} of the service at ${target} can stream: the route needs mode: sse`
      : `${method} ${path} of the service at ${target} does not stream: mode: sse has no use`
    return [
      { id: 'stream-mode', path: ['routes', route.index, ...(operation.streams ? [] : ['mode'])], message },
    ]
  })
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
  return all.flatMap(({ operation, index, other }): LiveFinding[] => {
    const { method, path, serves } = operation
    if (index !== undefined) return []
    if (serves === undefined) {
      const cure =
        other === undefined
          ? `"npx agentic routes add ${file} --from ${target}" adds it`
          : leadsElsewhere(other)
      const message = `no route reaches ${method} ${path} of the service at ${target}: ${cure}`
      return [{ id: 'operation-unrouted', path: ['routes'], message }]
    }
    const [first] = all.filter((each) => each.index !== undefined && leadsTo(each.operation, serves))
    if (first?.index === undefined) return []
    const { status } = serves === 'background' ? outcomes.accepted : outcomes.approval_required
    const reason =
      other === undefined
        ? `which has no route: callers get ${conditions.not_found}`
        : `but ${leadsElsewhere(other)}`
    const message = `a ${status} of this route leads to ${method} ${path}, ${reason}`
    return [{ id: 'follow-up-unrouted', path: ['routes', first.index], message }]
  })
}

/** A second service with the same path needs a path of its own. */
function leadsElsewhere({ id, target, upstream }: RouteConfig): string {
  const place = target === undefined ? `upstream ${upstream}` : `target ${target}`
  return `its route ${id} has the ${place}: mount one of the services with a publicPath, see "Two services behind one gateway" in docs/troubleshooting.md`
}

function leadsTo(operation: ServiceOperation, serves: NonNullable<ServiceOperation['serves']>): boolean {
  return serves === 'background' ? operation.async : operation.approvalRole !== undefined
}

const PEOPLE = 'people.yaml'

interface Needs {
  readonly roles: readonly NeededRoles[]
  /** The allowed tenants; absent means all. */
  readonly allowed: readonly string[] | undefined
}

/** People whom the gateway refuses, and roles that nobody else in the file beside the configuration has. */
function checkPeople(result: PeopleResult | undefined, { roles: needed, allowed }: Needs): LiveFinding[] {
  if (result === undefined) return []
  if (!result.ok)
    return result.faults.map(({ line, path, message }) => ({
      id: 'people-invalid',
      path: [],
      message: `${PEOPLE}:${line}: ${path === '' ? '' : `${path}: `}${message}`,
    }))
  const isRefused = ({ tenant }: Person) => allowed !== undefined && !allowed.includes(tenant)
  const refused = result.people.filter(isRefused).map(
    ({ sub, tenant }): LiveFinding => ({
      id: 'tenant-not-allowed',
      path: ['plugins', 'tenant-injector', 'allowed'],
      message: `${sub} in ${PEOPLE} is of the tenant ${JSON.stringify(tenant)}, which is not allowed here`,
    }),
  )
  const people = result.people.filter((person) => !isRefused(person))
  const whom = refused.length === 0 ? PEOPLE : `${PEOPLE} with an allowed tenant`
  return [...refused, ...unheldRoles({ people, whom }, needed)]
}

/** Roles that none of the people has. */
function unheldRoles(
  { people, whom }: { readonly people: readonly Person[]; readonly whom: string },
  needed: readonly NeededRoles[],
): LiveFinding[] {
  const held = new Set(people.flatMap(({ roles }) => roles))
  return needed.flatMap(({ index, roles }): LiveFinding[] => {
    const path: ConfigPath = ['routes', index]
    const unheld = roles.filter((role) => !held.has(role))
    if (unheld.length > 0)
      return unheld.map((role) => ({
        id: 'role-unheld',
        path,
        message: `nobody in ${whom} has the role ${JSON.stringify(role)}`,
      }))
    if (people.some((person) => roles.every((role) => person.roles.includes(role)))) return []
    return [{ id: 'role-unheld', path, message: `nobody in ${whom} has all roles of this route` }]
  })
}
