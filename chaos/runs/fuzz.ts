import { outcomes } from '@agentic-rest/profile'
import type { GatewayProcess } from '@agentic-rest/testing/start-gateway-process'
import { spreadOf } from '../../bench/statistics.ts'
import { type ChaosContext, type ChaosRun, type Figure, scaled } from '../chaos-run.ts'
import { type Conversation, escaped, makeConversation } from '../fuzz/conversation.ts'
import { fuzzGateway } from '../fuzz/fuzz-gateway.ts'
import { createIdentities, type Identities } from '../fuzz/identities.ts'
import { createJudge } from '../fuzz/judge-answer.ts'
import { type MarkedUpstream, startMarkedUpstream } from '../fuzz/marked-upstream.ts'
import { createQuietTime, type QuietTime, type Talked, talk } from '../fuzz/talk.ts'
import { createTally, type Tally } from '../fuzz/tally.ts'
import { readAnswers } from '../read-answers.ts'
import { createSeeded } from '../seeded.ts'

/** Sends malformed requests over raw sockets. */
export const run: ChaosRun = {
  name: 'fuzz',
  title: 'malformed requests over raw sockets',
  // Below 64 requests at a time, a late event loop on a busy machine is no overload (see load.ts of the gateway).
  // `replay` repeats one conversation of a seed, by its number, and prints it.
  short: { requests: 1500, sockets: 48, megabytes: 60, replay: -1 },
  full: { requests: 1_000_000, sockets: 60, megabytes: 20, replay: -1 },
  run: fuzz,
}

interface Fuzzing {
  readonly context: ChaosContext
  readonly identities: Identities
  readonly gateway: GatewayProcess
  readonly tally: Tally
  readonly quiet: QuietTime
}

async function fuzz(context: ChaosContext): Promise<readonly Figure[]> {
  const identities = createIdentities(context.folder)
  const upstream = await startMarkedUpstream(identities)
  const tally = createTally(context.tell)
  const gateway = await fuzzGateway({ context, identities, upstream, tally })
  try {
    const fuzzing = { context, identities, gateway, tally, quiet: createQuietTime() }
    if (scaled(context, 'replay') >= 0) await replay(fuzzing)
    const growth = createGrowth(gateway.rss)
    if (scaled(context, 'replay') < 0) await converse(fuzzing, growth.sample)
    const after = await settled(fuzzing)
    return figuresOf({ context, gateway, tally, upstream, after, grown: growth.megabytes() })
  } finally {
    await gateway.stop()
    await upstream.close()
  }
}

// Generous: closing needs only the event loop.
const CLOSE_MS = 10_000
// For a client that never ends its side: the gateway's time limits end it, at most after 65 s.
const PATIENT_MS = 70_000
const EVERY_PATIENT = 4000
const TELL_MS = 5000

/** Holds many conversations at a time until enough requests are answered. */
async function converse(fuzzing: Fuzzing, sample: (share: number) => void): Promise<void> {
  const { context, gateway, tally } = fuzzing
  const wanted = scaled(context, 'requests')
  const startedAt = performance.now()
  let next = 0
  const isOver = () => tally.requests >= wanted || context.signal.aborted || gateway.end() !== undefined
  const worker = async () => {
    while (!isOver()) await hold(fuzzing, next++)
  }
  const watch = setInterval(() => {
    if (gateway.end() === undefined) sample(tally.requests / wanted)
  }, 200)
  const telling = setInterval(() => {
    const perSecond = (tally.requests * 1000) / (performance.now() - startedAt)
    context.tell(
      `fuzz: ${tally.requests} requests in ${next} conversations, ${perSecond.toFixed(0)} a second, ` +
        `${(gateway.rss() / 2 ** 20).toFixed(0)} MB, ${tally.summary()}`,
    )
  }, TELL_MS)
  try {
    await Promise.all(Array.from({ length: scaled(context, 'sockets') }, worker))
  } finally {
    clearInterval(watch)
    clearInterval(telling)
  }
  if (gateway.end() === undefined) sample(1)
  context.tell(`fuzz: ${tally.requests} requests in ${next} conversations, ${tally.summary()}`)
}

async function hold(fuzzing: Fuzzing, index: number): Promise<void> {
  const { context, identities, gateway, tally, quiet } = fuzzing
  const conversation = makeConversation(createSeeded(context.seed, index), identities.tokens)
  const isPatient = index % EVERY_PATIENT === EVERY_PATIENT / 2
  const talked = await talk(gateway.port, conversation, {
    quietMs: isPatient ? PATIENT_MS : quiet.ms(),
    closeMs: CLOSE_MS,
    heard: quiet.heard,
  })
  const blame = (fault: string, answer = '') =>
    tally.blame(
      fault,
      `--seed ${context.seed} --replay ${index}: sent ${escaped(conversation.bytes)} ${answer}`,
    )
  judge(conversation, talked, { tally, blame })
}

interface Judging {
  readonly tally: Tally
  readonly blame: (fault: string, answer?: string) => void
}

const judgeAnswer = createJudge()

function judge({ bytes }: Conversation, talked: Talked, { tally, blame }: Judging): void {
  if (talked.refused) blame('refused')
  if (talked.hung) blame('hung', escaped(Buffer.from(talked.received, 'latin1')))
  const { answers, fault } = readAnswers(talked.received, bytes.includes('HEAD '))
  if (fault !== undefined)
    blame('no HTTP', `got ${escaped(Buffer.from(talked.received, 'latin1'))}: ${fault}`)
  for (const answer of answers) {
    if (answer.status < outcomes.success.status) continue
    const { maker, fault: wrong } = judgeAnswer(answer)
    tally.answer(answer.status, maker)
    if (wrong !== undefined) blame('no profile', `got ${answer.head} ${answer.body}: ${wrong}`)
    if (maker === 'gateway' && answer.status >= outcomes.error.status)
      blame('5xx', `got ${answer.head} ${answer.body}`)
    if (maker === 'gateway' && answer.status === outcomes.failed_dependency.status)
      blame('424', `got ${answer.head} ${answer.body}`)
  }
  if (answers.length === 0) tally.count('no answer')
}

/** Repeats one conversation of the seed and prints it. */
async function replay(fuzzing: Fuzzing): Promise<void> {
  const { context, identities, gateway } = fuzzing
  const index = scaled(context, 'replay')
  const conversation = makeConversation(createSeeded(context.seed, index), identities.tokens)
  context.tell(`sent: ${escaped(conversation.bytes, Number.POSITIVE_INFINITY)}`)
  context.tell(`cut at ${conversation.cuts.join(', ') || 'no place'}, leaves ${conversation.leaves}`)
  const { received } = await talk(gateway.port, conversation, { quietMs: 1000, closeMs: CLOSE_MS })
  context.tell(`received: ${escaped(Buffer.from(received, 'latin1'), Number.POSITIVE_INFINITY)}`)
  await hold(fuzzing, index)
}

/** The state after the last conversation. */
interface After {
  readonly goodAnswers: number
  readonly gauges: number
}

const SETTLE_MS = 10_000
const GAUGES =
  /^agentic_gateway_(?:requests_in_flight|sse_connections_active|upstream_queue\w*)(?:\{.*\})? (\S+)$/gm

/** Sends a valid request and reads the gauges until cancelled requests have ended. */
async function settled({ context, gateway, identities }: Fuzzing): Promise<After> {
  if (gateway.end() !== undefined) return { goodAnswers: 0, gauges: Number.NaN }
  const authorization = `Bearer ${identities.tokens.good[0]}`
  const good = await fetch(`${gateway.url}/items/1`, { headers: { authorization, connection: 'close' } })
  const latest = performance.now() + SETTLE_MS
  for (;;) {
    const lines = [...(await gateway.metrics()).matchAll(GAUGES)]
    const values = lines.map(([, value]) => Number(value))
    const gauges = values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0)
    const isLate = performance.now() > latest
    if (isLate) context.tell(`not settled: ${lines.map(([line]) => line).join(', ')}`)
    if (gauges === 0 || isLate)
      return { goodAnswers: Number(good.status === outcomes.success.status), gauges }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

interface Outcome extends Pick<Fuzzing, 'context' | 'gateway' | 'tally'> {
  readonly upstream: MarkedUpstream
  readonly after: After
  readonly grown: number
}

function figuresOf({ context, gateway, tally, upstream, after, grown }: Outcome): Figure[] {
  for (const [reason, examples] of upstream.faults)
    for (const example of examples) context.tell(`upstream: ${reason}: ${example}`)
  const none = (name: string, measured: number): Figure => ({ name, measured, limit: 0, kind: 'exactly' })
  const isReplay = scaled(context, 'replay') >= 0
  const wanted = isReplay ? 0 : scaled(context, 'requests')
  const sizes: Figure[] = [
    { name: 'requests answered', measured: tally.requests, limit: wanted, kind: 'at least' },
    {
      name: 'RSS growth after warm-up',
      measured: grown,
      unit: 'MB',
      limit: scaled(context, 'megabytes'),
      kind: 'at most',
    },
  ]
  return [
    ...sizes.slice(0, isReplay ? 1 : 2),
    none('crashes', gateway.end() === undefined ? 0 : 1),
    none('5xx made by the gateway', tally.faults('5xx')),
    none('424 with a sound upstream', tally.faults('424')),
    none('hung connections', tally.faults('hung')),
    none('refused connections', tally.faults('refused')),
    none('answers that are no HTTP', tally.faults('no HTTP')),
    none('answers outside the profile', tally.faults('no profile')),
    none('errors in the log', tally.faults('error in the log')),
    none('audit lines that are no record', tally.faults('no record')),
    none('forwarded requests with a fault, or let in without a token', upstream.faultCount),
    none('sum of the gauges afterwards', after.gauges),
    { name: 'good answers afterwards', measured: after.goodAnswers, limit: 1, kind: 'exactly' },
  ]
}

/** The memory growth of a process during a run. */
interface Growth {
  /** Takes a sample at a share of the run, from 0 to 1. */
  sample(share: number): void
  /** The growth from the end of the warm-up to the end of the run, between medians. */
  megabytes(): number
}

const MEBIBYTE = 2 ** 20
// The first part fills caches and compiles hot code.
const WARM_UP = 0.2
const TENTH = 0.1

/** Samples `rss`, in bytes. */
function createGrowth(rss: () => number): Growth {
  const samples: { readonly share: number; readonly megabytes: number }[] = []
  // Medians, because garbage collection may be due at any moment. A very short run has one sample.
  const median = (from: number) => {
    const later = samples.filter(({ share }) => share >= from)
    const near = later.filter(({ share }) => share < from + TENTH)
    return spreadOf((near.length > 0 ? near : later.slice(0, 1)).map(({ megabytes }) => megabytes)).median
  }
  return {
    sample: (share) => void samples.push({ share: Math.min(share, 1), megabytes: rss() / MEBIBYTE }),
    megabytes: () => Math.max(0, median(1 - TENTH) - median(WARM_UP)),
  }
}
