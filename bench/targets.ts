import { POST_TITLE } from './measures/peers.ts'
import type { Results } from './results.ts'

/** One figure with its limit. */
export interface Target {
  readonly what: string
  readonly measured: number
  readonly limit: number
  readonly unit: string
  /** The limit is a minimum; otherwise a maximum. */
  readonly isFloor: boolean
  readonly kept: boolean
}

const MILLISECONDS = 'ms'
const TIMES = '×'

const workersTitles = {
  throughput: 'capacity of two workers on two cores, to one process',
  'CPU time': 'capacity of two workers, judged by CPU time on one core',
} as const

/** Compares the medians of a run with their limits. */
export function judgeTargets(results: Results): Target[] {
  const { coldTokens, peers, latency, streams, startUp, growth = [], workers } = results
  const events = streams?.busy.gateway
  const to = (scenario: string, contender: 'floor' | 'fastify' | 'nginx') =>
    results.throughput.find((each) => each.scenario === scenario)?.gatewayTo[contender]?.median
  return [
    target('CPU per request, GET with token, to the floor', to('passthrough', 'floor'), 0.65, TIMES),
    target('CPU per request, GET with token, to nginx', to('passthrough', 'nginx'), 2, TIMES),
    target('CPU per request, all plugins, to the floor', to('all-plugins', 'floor'), 0.8, TIMES),
    target('CPU per request, all plugins, to nginx', to('all-plugins', 'nginx'), 3, TIMES),
    target('CPU per request, all plugins, to @fastify/http-proxy', to('all-plugins', 'fastify'), 1, TIMES),
    target('CPU per request, vendor answer checked, to the floor', to('vendor-answer', 'floor'), 0.85, TIMES),
    target(
      'CPU per POST, all plugins, to Envoy with its JWT cache',
      peers?.tables.find(({ title }) => title === POST_TITLE)?.allPluginsTo['envoy']?.median,
      1,
      TIMES,
    ),
    target(
      'added by a never-seen token, to a bare verification',
      coldTokens?.gateway.addedToBare.median,
      1.3,
      TIMES,
    ),
    target(
      'added to the median answer time of nginx at half load',
      latency?.addedP50Ms.median,
      0.3,
      MILLISECONDS,
    ),
    target('added to the p99 of nginx at half load', latency?.addedP99Ms.median, 2, MILLISECONDS),
    target('p99 from write to read of an event', events?.p99Ms.median, 1, MILLISECONDS),
    target('CPU per event of a stream', events?.cpuMicrosecondsPerEvent.median, 20, 'µs'),
    target('memory of a busy stream, heap growth included', events?.kilobytesPerStream, 40, 'kB'),
    target('memory of an idle stream', streams?.waiting.gateway?.idleKilobytesPerStream, 30, 'kB'),
    target('memory for all stalled readers', streams?.waiting.gateway?.stalledMegabytes, 80, 'MB'),
    target('start to first answer', startUp?.firstAnswerMs.median, 300, MILLISECONDS),
    target('memory before any load', startUp?.idleMegabytes.median, 80, 'MB'),
    atLeast(workersTitles[workers?.by ?? 'throughput'], workers?.capacity.median, 1.85, TIMES),
    ...growth.map(({ what, ratio }) => target(`CPU per request, ${what}`, ratio.median, 1.05, TIMES)),
  ].filter((each) => each !== undefined)
}

function target(what: string, measured: number | undefined, limit: number, unit: string): Target | undefined {
  if (measured === undefined) return undefined
  return { what, measured, limit, unit, isFloor: false, kept: measured <= limit }
}

function atLeast(
  what: string,
  measured: number | undefined,
  limit: number,
  unit: string,
): Target | undefined {
  if (measured === undefined) return undefined
  return { what, measured, limit, unit, isFloor: true, kept: measured >= limit }
}
