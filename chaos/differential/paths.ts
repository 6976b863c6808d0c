import { Agent, type RequestOptions, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import type { ChaosContext, Figure } from '../chaos-run.ts'
import { type Framework, SERVED_BY, startFrameworks, templates } from './frameworks.ts'

/** Paths that name the routes, which spellings change segment by segment. */
const paths = [
  ['items', 'export'],
  ['items', 'assets:generate'],
  ['items', '7'],
  ['items', 'export', 'log'],
  ['users', 'active', 'log'],
  ['users', 'active', 'x'],
  ['users', '7', 'log'],
  ['admin', 'status'],
  ['other', 'status'],
]

const encodeFirst = (text: string) => `%${text.charCodeAt(0).toString(16).padStart(2, '0')}${text.slice(1)}`

/** The ways to write a segment that servers read differently. */
const spellings: readonly ((segment: string) => string)[] = [
  (segment) => segment,
  (segment) => segment.toUpperCase(),
  (segment) => segment.charAt(0).toUpperCase() + segment.slice(1),
  encodeFirst,
  (segment) => encodeFirst(segment.toUpperCase()),
  (segment) => encodeFirst(segment).replace('%', '%25'),
  (segment) => segment.replace(':', '%3A'),
  (segment) => `${segment};x`,
  (segment) => `${segment.toUpperCase()};v=1`,
  (segment) => `${segment}%3Bx`,
  (segment) => `${segment}.`,
  (segment) => `${segment}%20`,
  (segment) => `%20${segment}`,
  (segment) => `${segment}.json`,
  (segment) => segment.replace('s', '%C5%BF'),
  (segment) => segment.replace('k', '%E2%84%AA'),
  (segment) => `${segment}%09`,
  (segment) => `./${segment}`,
]

/** Every path with up to two segments in another spelling, with and without a slash at the end; those with fewer first. */
export const spelledPaths: readonly string[] = [
  ...new Set(
    paths
      .flatMap((segments) => respelled(segments, 2))
      .toSorted((first, second) => first.changes - second.changes)
      .flatMap(({ text }) => [text, `${text}/`]),
  ),
]

interface Respelled {
  readonly text: string
  readonly changes: number
}

/** The segments as a path, with at most `most` of them in another spelling. */
function respelled(segments: readonly string[], most: number): Respelled[] {
  const [first, ...rest] = segments
  if (first === undefined) return [{ text: '', changes: 0 }]
  return spellings.slice(0, most === 0 ? 1 : undefined).flatMap((spell, index) => {
    const changed = index === 0 ? 0 : 1
    return respelled(rest, most - changed).map(({ text, changes }) => ({
      text: `/${spell(first)}${text}`,
      changes: changes + changed,
    }))
  })
}

/** Sends each path through the gateway to the frameworks: each must serve the route that the gateway has judged. */
export async function comparePaths(context: ChaosContext, count: number): Promise<Figure[]> {
  const frameworks = await startFrameworks()
  const operations = new Map<string, string>()
  const gateway = await startGatewayProcess({
    folder: context.folder,
    name: 'paths',
    config: { routes: routesTo(frameworks) },
    onLine(line) {
      const { request_id, operation } = JSON.parse(line)
      operations.set(request_id, operation)
    },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  try {
    const trials: Trial[] = []
    for (const framework of frameworks)
      for (const path of spelledPaths.slice(0, count)) {
        if (context.signal.aborted) break
        trials.push(await attempt({ framework, agent, path, port: gateway.port, id: `p${trials.length}` }))
      }
    await recorded(trials, operations)
    return figuresOf(trials, operations, context)
  } finally {
    agent.destroy()
    await gateway.stop()
    await Promise.all(frameworks.map((framework) => framework.stop()))
  }
}

/** Routes of the same templates for each framework; the id of a route is the path of its template. */
function routesTo(frameworks: readonly Framework[]) {
  return frameworks.flatMap(({ port, prefix }) =>
    templates.map((template) => ({
      id: prefix + template,
      method: 'GET',
      path: prefix + template,
      target: `http://127.0.0.1:${port}`,
    })),
  )
}

interface Attempt {
  readonly framework: Framework
  readonly agent: Agent
  readonly path: string
  /** The port of the gateway. */
  readonly port: number
  readonly id: string
}

/** One path at one framework, through the gateway and without it. */
interface Trial {
  readonly id: string
  readonly prefix: string
  readonly path: string
  readonly judged: Answer
  readonly direct: Answer
}

interface Answer {
  readonly status: number
  /** The template that served the request. */
  readonly servedBy: string | undefined
}

async function attempt({ framework, agent, path, port, id }: Attempt): Promise<Trial> {
  const { prefix } = framework
  const headers = { 'X-Tenant-ID': 'acme', 'X-Request-ID': id }
  const [judged, direct] = await Promise.all(
    [port, framework.port].map((to) =>
      ask({ agent, host: '127.0.0.1', port: to, path: prefix + path, headers }),
    ),
  )
  if (judged === undefined || direct === undefined) throw new Error('two requests have two answers')
  return { id, prefix, path, judged, direct }
}

function ask(options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const served = response.headers[SERVED_BY]
      response.resume().on('end', () => {
        const servedBy = typeof served === 'string' ? served : undefined
        resolve({ status: response.statusCode ?? 0, servedBy })
      })
    })
    sent.on('error', reject).end()
  })
}

const RECORDS_MS = 5000

/** Waits for the audit records of all served requests. */
async function recorded(trials: readonly Trial[], operations: ReadonlyMap<string, string>): Promise<void> {
  const latest = performance.now() + RECORDS_MS
  const isDone = () => trials.every(({ id, judged }) => judged.servedBy === undefined || operations.has(id))
  while (!isDone() && performance.now() < latest) await wait(50)
}

const literals: ReadonlySet<string> = new Set(templates.filter((template) => !template.includes('{')))

function figuresOf(
  trials: readonly Trial[],
  operations: ReadonlyMap<string, string>,
  { tell }: ChaosContext,
): Figure[] {
  const confused = trials.filter(
    ({ id, prefix, judged: { servedBy } }) =>
      servedBy !== undefined && operations.get(id) !== prefix + servedBy,
  )
  for (const { id, prefix, path, judged } of confused.slice(0, 20))
    tell(
      `differential: ${prefix}${path} is ${operations.get(id)} to the gateway, ${judged.servedBy} behind it`,
    )
  const served = trials.filter(({ judged }) => judged.servedBy !== undefined)
  const saved = trials.filter(
    ({ judged, direct }) => judged.status === 422 && literals.has(direct.servedBy ?? ''),
  )
  tell(
    `differential: ${trials.length} spelled paths, ${served.length} served, ${saved.length} refused for a neighbour`,
  )
  return [
    { name: 'spelled paths', measured: trials.length, limit: LEAST_PATHS, kind: 'at least' },
    { name: 'paths that a framework served', measured: served.length, limit: LEAST_SERVED, kind: 'at least' },
    {
      name: 'paths that a framework served by another route',
      measured: confused.length,
      limit: 0,
      kind: 'exactly',
    },
    // Without the refusals some of these would have had the roles of another route.
    {
      name: 'refused paths that a framework takes for a literal',
      measured: saved.length,
      limit: LEAST_SAVED,
      kind: 'at least',
    },
  ]
}

const LEAST_PATHS = 1000
const LEAST_SERVED = 500
const LEAST_SAVED = 10
