import { type GatewayProcess, startGatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { disagreements, disagreementsBetween, type Observation, tenantsOf } from '../differential/compare.ts'
import { compareReaders } from '../differential/compare-readers.ts'
import { comparePaths } from '../differential/paths.ts'
import { type Observed, startServers } from '../differential/servers.ts'
import { type SeenRequest, valuesOf } from '../differential/strict-requests.ts'
import { escaped } from '../fuzz/conversation.ts'
import { UPSTREAM_MARK } from '../fuzz/marked-upstream.ts'
import { createQuietTime, talk } from '../fuzz/talk.ts'
import { createTally, type Tally } from '../fuzz/tally.ts'
import { readAnswers } from '../read-answers.ts'
import { PATH, type Vector } from '../vectors/vector.ts'
import { vectors } from '../vectors/vectors.ts'

/**
 * Sends every smuggling vector through the gateway to four servers and compares their readings. Then sends spelled paths to
 * three frameworks and compares their routes. Then reads random bytes with the gateway's reader and with Node's.
 */
export const run: ChaosRun = {
  name: 'differential',
  title: 'smuggling vectors to Node, nginx, HAProxy and Apache, spelled paths to Express, Fastify and Hono',
  // `direct` sends the vectors to the servers without the gateway.
  short: { vectors: vectors.length, sockets: 48, direct: 0, paths: 700, inputs: 3000 },
  full: { vectors: vectors.length, sockets: 48, direct: 0, paths: 20_000, inputs: 10_000_000 },
  run: differential,
}

interface Differential {
  readonly context: ChaosContext
  readonly servers: readonly Observed[]
  readonly gateway: GatewayProcess
  readonly tally: Tally
  /** Tenants by request id, from the audit records. */
  readonly records: ReadonlyMap<string, string>
}

async function differential(context: ChaosContext): Promise<readonly Figure[]> {
  const framing = await compareFraming(context)
  // Without the gateway nothing judges the paths.
  if (scaled(context, 'direct') === 1) return framing
  const paths = await comparePaths(context, scaled(context, 'paths'))
  return [...framing, ...paths, ...(await compareReaders(context, scaled(context, 'inputs')))]
}

async function compareFraming(context: ChaosContext): Promise<readonly Figure[]> {
  const tally = createTally(context.tell)
  const servers = await startServers(context.folder)
  try {
    const records = new Map<string, string>()
    const gateway = await startComparedGateway(context, servers, records)
    try {
      return await compareAll({ context, servers, gateway, tally, records })
    } finally {
      await gateway.stop()
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** One gateway for all servers: `/r0` is the first, and so on. */
function startComparedGateway(
  { folder }: ChaosContext,
  servers: readonly Observed[],
  records: Map<string, string>,
) {
  const routes = servers.flatMap(({ name, tap }, index) =>
    ['GET', 'POST', 'DELETE'].flatMap((method) =>
      ['{vector}', '{vector}/{rest}'].map((rest) => ({
        id: `${name}-${method}-${rest === '{vector}' ? 'one' : 'two'}`,
        method,
        path: `/r${index}/${rest}`,
        target: `http://127.0.0.1:${tap.port}`,
        executionTimeoutSeconds: 30,
      })),
    ),
  )
  return startGatewayProcess({
    folder,
    config: { gateway: { limits: { max_body_bytes: 1_000_000 } }, routes },
    onLine(line) {
      const { request_id, tenant_id } = JSON.parse(line)
      records.set(request_id, tenant_id)
    },
  })
}

/** Ids of answered requests according to the client, by server and vector. */
type Said = ReadonlyMap<string, readonly string[]>

async function compareAll(differential: Differential): Promise<Figure[]> {
  const { context, servers, gateway, tally, records } = differential
  const chosen = vectors.slice(0, scaled(context, 'vectors'))
  const said = await sendAll(differential, chosen)
  await settled(differential)
  const views = servers.map((observed, number): View => ({ observed, number, log: observed.logged() }))
  for (const [index, vector] of chosen.entries()) {
    const observations = views.map((view) => observe(view, index, said))
    for (const fault of faultsOf(vector, observations, records))
      tally.blame(fault.kind, `vector ${index}, ${vector.name}: ${fault.what}`)
  }
  for (const { name, tap, recorder } of servers) {
    for (const fault of tap.faults) tally.blame('unclean', `sent to ${name}: ${fault}`)
    for (const fault of recorder.faults) tally.blame('unclean', `seen by ${name}: ${fault}`)
    for (const seen of [...tap.seen, ...recorder.seen])
      if (numberOf(seen) === undefined) tally.blame('stray', `${name}: ${seen.method} ${seen.target}`)
  }
  context.tell(`differential: ${chosen.length} vectors, ${records.size} records, ${tally.summary()}`)
  return figuresOf(Math.floor(said.size / servers.length), servers.length, {
    tally,
    crashes: gateway.end() === undefined ? 0 : 1,
  })
}

async function sendAll(differential: Differential, chosen: readonly Vector[]): Promise<Said> {
  const { context, servers } = differential
  const said = new Map<string, string[]>()
  const quiet = createQuietTime()
  const jobs = chosen.flatMap((vector, index) => servers.map((_, server) => ({ vector, index, server })))
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined && !context.signal.aborted; job = jobs.shift()) {
      const { vector, index, server } = job
      const text = vector.text
        .replaceAll(PATH, pathOf(server, index))
        .replaceAll(encoded(PATH), encoded(pathOf(server, index)))
      const port =
        scaled(context, 'direct') === 1 ? (servers[server]?.tap.port ?? 0) : differential.gateway.port
      said.set(`${server} ${index}`, await answered(differential, { port, text, vector, quiet }))
    }
  }
  await Promise.all(Array.from({ length: scaled(context, 'sockets') }, worker))
  return said
}

function pathOf(server: number, vector: number): string {
  return `/r${server}/v${String(vector).padStart(3, '0')}`
}

/** The path with its `v` in percent-encoding, for one of the vectors. */
function encoded(path: string): string {
  return path.replace('/v', '/%76')
}

interface Sending {
  readonly port: number
  readonly text: string
  readonly vector: Vector
  readonly quiet: ReturnType<typeof createQuietTime>
}

/** Sends a vector and returns the ids of the answered requests. */
async function answered({ tally }: Differential, { port, text, vector, quiet }: Sending): Promise<string[]> {
  const bytes = Buffer.from(text, 'latin1')
  const conversation = { bytes, cuts: [], paced: false, leaves: 'after answers' } as const
  // Additional requests would still be noticed at the server.
  const enough = (got: string) =>
    vector.tenants.length > 0 && got.split(`${UPSTREAM_MARK}: `).length > vector.tenants.length
  const quietMs = vector.tenants.length > 0 ? ANSWER_MS : quiet.ms()
  const patience = { quietMs, closeMs: 10_000, heard: quiet.heard, enough }
  const { received, hung } = await talk(port, conversation, patience)
  const { answers, fault } = readAnswers(received, text.startsWith('HEAD '))
  const got = escaped(Buffer.from(received, 'latin1'), 500)
  if (hung) tally.blame('hung', `${vector.name}: ${got}`)
  if (fault !== undefined) tally.blame('unclean', `answer to ${vector.name}: ${fault} in ${got}`)
  return answers.flatMap(({ headers }) => headers.get(UPSTREAM_MARK) ?? [])
}

const SETTLE_MS = 5000
// The patience for an expected answer is longer than for silence.
const ANSWER_MS = 5000

/** Waits for the logs and for cancelled requests after the last answer. */
async function settled({ servers, gateway }: Differential): Promise<void> {
  const latest = performance.now() + SETTLE_MS
  const isDone = async () =>
    /^agentic_gateway_requests_in_flight 0$/m.test(await gateway.metrics()) &&
    servers.every(({ tap, logged }) => (logged()?.length ?? tap.seen.length) >= tap.seen.length)
  while (!(await isDone()) && performance.now() < latest)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

function numberOf({ target }: Pick<SeenRequest, 'target'>): number | undefined {
  const [, digits] = /^\/r\d\/v(\d{3})(?![0-9])/.exec(target) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** A server with its number and its log. */
interface View {
  readonly observed: Observed
  readonly number: number
  readonly log: ReturnType<Observed['logged']>
}

function observe({ observed, number, log }: View, index: number, said: Said): Observation {
  const isOf = (seen: Pick<SeenRequest, 'target'>) => numberOf(seen) === index
  return {
    server: observed.name,
    said: said.get(`${number} ${index}`) ?? [],
    sent: observed.tap.seen.filter(isOf),
    seen: observed.recorder.seen.filter(isOf),
    logged: log
      ?.filter(({ requestLine }) => isOf({ target: requestLine.split(' ')[1] ?? '' }))
      .map(({ requestId }) => requestId),
  }
}

interface Fault {
  readonly kind: 'disagreement' | 'reached' | 'unexpected' | 'unrecorded'
  readonly what: string
}

function* faultsOf(
  { tenants }: Vector,
  observations: readonly Observation[],
  records: Differential['records'],
): Generator<Fault> {
  for (const what of [...observations.flatMap(disagreements), ...disagreementsBetween(observations)])
    yield { kind: 'disagreement', what }
  for (const { server, sent, seen } of observations) {
    const found = tenantsOf(sent).join(', ')
    if (tenants.length === 0 && sent.length + seen.length > 0)
      yield { kind: 'reached', what: `${server}: ${found}` }
    else if (found !== tenants.join(', '))
      yield {
        kind: 'unexpected',
        what: `${server}: forwarded for "${found}", not for "${tenants.join(', ')}"`,
      }
    for (const request of sent)
      if (records.get(valuesOf(request, 'x-request-id').join()) !== tenantsOf([request]).join())
        yield { kind: 'unrecorded', what: `${server}: ${request.method} ${request.target}` }
  }
}

function figuresOf(
  vectorCount: number,
  serverCount: number,
  { tally, crashes }: { readonly tally: Tally; readonly crashes: number },
): Figure[] {
  const none = (name: string, measured: number): Figure => ({ name, measured, limit: 0, kind: 'exactly' })
  return [
    { name: 'vectors', measured: vectorCount, limit: LEAST_VECTORS, kind: 'at least' },
    { name: 'servers', measured: serverCount, limit: 4, kind: 'exactly' },
    none('framing disagreements', tally.faults('disagreement')),
    none('refused vectors that reached a server', tally.faults('reached')),
    none('vectors that went another way than the corpus says', tally.faults('unexpected')),
    none('bytes that are not plain HTTP', tally.faults('unclean')),
    none('requests of no vector', tally.faults('stray')),
    none('forwarded requests without their audit record', tally.faults('unrecorded')),
    none('hung connections', tally.faults('hung')),
    none('crashes', crashes),
  ]
}

const LEAST_VECTORS = 240
