import type { AuditRecord } from '../api/audit-records.ts'
import type { RouteList } from '../api/bodies.ts'
import { buildHops, type Hop } from '../timeline/build-hops.ts'

/** A node: a gateway, a configured service, or an observed inner agent. */
export interface Part {
  readonly id: string
  readonly kind: 'callers' | 'gateway' | 'service' | 'agent'
  readonly title: string
  readonly subtitle: string
  readonly column: number
  readonly row: number
}

/** The topology behind the gateway, as configured and observed. */
export interface Topology {
  readonly parts: readonly Part[]
  readonly lines: readonly (readonly [string, string])[]
  readonly columns: number
  readonly rows: number
}

/** The observed calls. */
interface Seen {
  /** The name of the service at an origin. */
  readonly nameByOrigin: Map<string, string>
  readonly calls: Map<string, Set<string>>
}

/** Builds the topology: origins from the configuration, names and inner agents from records. */
export function buildTopology(list: RouteList, exchanges: readonly (readonly AuditRecord[])[]): Topology {
  const seen = lookAt(list, exchanges)
  const parts: Part[] = []
  const lines: [string, string][] = [['callers', 'gateway']]
  let rows = 0
  function add(id: string, part: Omit<Part, 'id' | 'row'>): void {
    const before = rows
    parts.push({ id, ...part, row: before })
    for (const next of seen.calls.get(part.title) ?? []) {
      // An agent that calls back is drawn once.
      if (!parts.some(({ title }) => title === next))
        add(`agent ${next}`, {
          kind: 'agent',
          title: next,
          subtitle: 'seen in records',
          column: part.column + 1,
        })
      lines.push([id, `agent ${next}`])
    }
    if (rows === before) rows += 1
  }
  for (const { origin, routes } of list.services) {
    const name = seen.nameByOrigin.get(origin)
    const title = name ?? hostOf(origin)
    const count = `${routes.length} ${routes.length === 1 ? 'route' : 'routes'}`
    const subtitle = name === undefined ? count : `${hostOf(origin)} · ${count}`
    add(`service ${origin}`, { kind: 'service', title, subtitle, column: 2 })
    lines.push(['gateway', `service ${origin}`])
  }
  const middle = Math.max(0, (rows - 1) / 2)
  const ends = [
    {
      id: 'callers',
      kind: 'callers',
      title: 'Callers',
      subtitle: 'people, apps, agents',
      column: 0,
      row: middle,
    },
    {
      id: 'gateway',
      kind: 'gateway',
      title: 'Gateway',
      subtitle: `${list.routes.length} routes · ${list.plugins.length} steps`,
      column: 1,
      row: middle,
    },
  ] as const
  const columns = Math.max(2, ...parts.map(({ column }) => column + 1))
  return { parts: [...ends, ...parts], lines, columns, rows: Math.max(rows, 1) }
}

function lookAt({ routes }: RouteList, exchanges: readonly (readonly AuditRecord[])[]): Seen {
  const seen: Seen = { nameByOrigin: new Map(), calls: new Map() }
  const originByRoute = new Map(routes.map(({ id, target }) => [id, originOf(target ?? '')]))
  for (const records of exchanges) {
    for (const hop of buildHops(records)) {
      const origin = originByRoute.get(hop.gateway?.operation ?? '')
      if (origin !== undefined && hop.service !== undefined) seen.nameByOrigin.set(origin, hop.service.part)
      followCalls(hop, seen)
    }
  }
  return seen
}

function followCalls(hop: Hop, seen: Seen): void {
  for (const child of hop.children) {
    const chain = [hop.service, child.gateway, child.service].flatMap((span) => span?.part ?? [])
    for (const [index, from] of chain.entries()) {
      const to = chain[index + 1]
      if (to !== undefined && to !== from)
        seen.calls.set(from, new Set([...(seen.calls.get(from) ?? []), to]))
    }
    followCalls(child, seen)
  }
}

/** The origin of an address, as in the list of services. */
function originOf(target: string): string {
  return URL.canParse(target) ? new URL(target).origin : target
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin
}
