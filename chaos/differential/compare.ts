import { type SeenRequest, valuesOf } from './strict-requests.ts'

/** The observations of one vector at one server. */
export interface Observation {
  readonly server: string
  /** Ids of requests that the server answered, according to the answers at the client. */
  readonly said: readonly string[]
  /** The requests sent by the gateway. */
  readonly sent: readonly SeenRequest[]
  /** The requests as the server read them. */
  readonly seen: readonly SeenRequest[]
  /** Ids in the access log; undefined for a server without one. */
  readonly logged: readonly string[] | undefined
}

/** Headers of the caller's identity: a server that reads another value acts for another caller. */
const identity = [
  ...['x-tenant-id', 'x-actor-principal', 'x-actor-subject', 'x-actor-roles', 'authorization'],
  ...['x-correlation-id', 'x-request-id', 'idempotency-key', 'x-approval-token'],
]

/** The disagreements of a server with the gateway about one vector. */
export function disagreements({ server, said, sent, seen, logged }: Observation): string[] {
  const sentIds = sent.map(idOf)
  return [
    ...unequal(`${server}: answered`, said, sentIds),
    ...unequal(`${server}: seen`, seen.map(idOf), sentIds),
    ...(logged === undefined ? [] : unequal(`${server}: logged`, logged, sentIds)),
    ...sent.flatMap((request) => {
      const twin = seen.find((other) => idOf(other) === idOf(request))
      return twin === undefined ? [] : differences(request, twin).map((what) => `${server}: another ${what}`)
    }),
  ]
}

/** The disagreements between servers: each must get the same number of requests of the same tenants, or none. */
export function disagreementsBetween(observations: readonly Observation[]): string[] {
  const views = observations.map(({ server, seen }) => ({
    server,
    view: seen.map(view).toSorted().join('\n'),
  }))
  const [first] = views
  return views
    .filter(({ view }) => view !== first?.view)
    .map(({ server }) => `${server} and ${first?.server} saw different requests`)
}

/** The tenants of the forwarded requests, in order. */
export function tenantsOf(requests: readonly SeenRequest[]): string[] {
  return requests.map((request) => valuesOf(request, 'x-tenant-id').join(', '))
}

function idOf(request: SeenRequest): string {
  return valuesOf(request, 'x-request-id').join(', ')
}

function unequal(what: string, ids: readonly string[], sent: readonly string[]): string[] {
  if (ids.toSorted().join() === sent.toSorted().join()) return []
  return [`${what} ${ids.length} requests where ${sent.length} were sent`]
}

function differences(sent: SeenRequest, seen: SeenRequest): string[] {
  return [
    ...(sent.method === seen.method ? [] : ['method']),
    ...(sent.target === seen.target ? [] : ['target']),
    ...(sent.body === seen.body ? [] : ['body']),
    ...identity.filter((name) => valuesOf(sent, name).join() !== valuesOf(seen, name).join()),
  ]
}

/** The part of the path without the number of the server. */
function view(request: SeenRequest): string {
  const { method, target, body } = request
  const text = JSON.stringify([method, target, body, valuesOf(request, 'x-tenant-id')])
  return text.replaceAll(/\/r\d\//g, '/r/')
}
