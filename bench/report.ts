import { contenderNames } from './contenders.ts'
import type { StreamMemory } from './measures/sdk-streams.ts'
import type { EventCosts } from './measures/streams.ts'
import type { ThroughputResult } from './measures/throughput.ts'
import type { Results } from './results.ts'
import type { Spread } from './statistics.ts'
import { judgeTargets } from './targets.ts'

/** The results as Markdown, for `npm run bench` and docs/performance.md. */
export function reportOf(results: Results): string {
  const { machine } = results
  const sections = [
    `Version ${results.version} (${results.commit}), ${results.date}, seed ${results.seed}${results.quick ? ', quick' : ''}. ` +
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}, Node ${machine.node}; ` +
      `load before the run ${machine.loadBefore.toFixed(2)}, ${results.stolenPercent.toFixed(0)} % of the CPU time taken by the host.`,
    ...results.throughput.map(throughputSection),
    coldTokensSection(results),
    streamSection(results),
    sdkStreamSection(results),
    workersSection(results),
    peersSection(results),
    targetSection(results),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function throughputSection({ title, contenders, gatewayTo }: ThroughputResult): string {
  const rows = contenderNames.flatMap((name) => {
    const measured = contenders[name]
    if (measured === undefined) return []
    const { cpuMicroseconds, requestsPerSecond, p50Ms, p99Ms, residentMegabytes } = measured
    return [
      [
        name,
        digits(requestsPerSecond.median, 0),
        digits(cpuMicroseconds.median, 1),
        digits(p50Ms.median, 2),
        digits(p99Ms.median, 2),
        digits(residentMegabytes.median, 0),
      ],
    ]
  })
  const compared = Object.entries(gatewayTo).map(([name, ratio]) => `${spread(ratio)} × ${name}`)
  return [
    `**${title}**`,
    table(['', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms', 'RSS MB'], rows),
    `CPU per request of the gateway: ${compared.join(', ')}.`,
  ].join('\n\n')
}

function coldTokensSection({ coldTokens }: Results): string {
  if (coldTokens === undefined) return ''
  const rows = (['beside', 'gateway'] as const).flatMap((name) => {
    const costs = coldTokens[name]
    if (costs === undefined) return []
    const { rememberedMicroseconds, coldMicroseconds, addedToBare } = costs
    return [[name, spread(rememberedMicroseconds), spread(coldMicroseconds), `${spread(addedToBare)} ×`]]
  })
  const head = [
    '',
    'remembered, CPU µs/request',
    'never seen, CPU µs/request',
    'added, to a bare verification',
  ]
  return [
    '**GET with a token that was never seen**',
    table(head, rows),
    `One bare RS256 verification by node:crypto: ${spread(coldTokens.bareMicroseconds)} CPU µs.`,
  ].join('\n\n')
}

function streamSection({ streams }: Results): string {
  if (streams === undefined) return ''
  const rows = contenderNames.flatMap((name) => {
    const busy = streams.busy[name]
    if (busy === undefined) return []
    const { events, cpuMicrosecondsPerEvent, p50Ms, p99Ms, kilobytesPerStream } = busy
    return [
      [
        name,
        digits(events, 0),
        spread(cpuMicrosecondsPerEvent),
        digits(p50Ms.median, 2),
        digits(p99Ms.median, 2),
        digits(kilobytesPerStream, 0),
      ],
    ]
  })
  const waiting = contenderNames.flatMap((name) => {
    const measured = streams.waiting[name]
    if (measured === undefined) return []
    return [[name, digits(measured.idleKilobytesPerStream, 1), digits(measured.stalledMegabytes, 0)]]
  })
  return [
    '**Streams of ten events a second: from the write of an event to its read**',
    table(['', 'events', 'CPU µs/event', 'p50 ms', 'p99 ms', 'kB per stream'], rows),
    `**Streams that wait: ${streams.idleStreams} without events, ${streams.stalledReaders} whose readers stalled**`,
    table(['', 'kB per idle stream', 'MB of all stalled readers'], waiting),
  ].join('\n\n')
}

function sdkStreamSection({ sdkStreams }: Results): string {
  if (sdkStreams === undefined) return ''
  const { streams, throughGateway, direct, bare, idleStreams, stalledReaders, kilobytes } = sdkStreams
  const costs = (name: string, { events, cpuMicrosecondsPerEvent, p50Ms, p99Ms }: EventCosts) => [
    name,
    digits(events, 0),
    spread(cpuMicrosecondsPerEvent),
    digits(p50Ms.median, 2),
    digits(p99Ms.median, 2),
  ]
  const memory = (name: string, { idle, stalled }: StreamMemory) => [
    name,
    digits(idle, 1),
    digits(stalled, 1),
  ]
  return [
    `**${streams} streams of the service SDK, ten events a second each: from \`yield\` to the read of the client**`,
    table(
      ['', 'events', 'CPU µs/event in the service', 'p50 ms', 'p99 ms'],
      [
        costs('SDK through the gateway', throughGateway),
        costs('SDK', direct),
        costs('node:http alone', bare),
      ],
    ),
    `**Memory of the service: ${idleStreams} streams without events, ${stalledReaders} whose readers stalled**`,
    table(
      ['', 'kB per idle stream', 'kB per stalled reader'],
      [memory('SDK', kilobytes.sdk), memory('node:http alone', kilobytes.bare)],
    ),
  ].join('\n\n')
}

function workersSection({ workers }: Results): string {
  if (workers?.by !== 'CPU time') return ''
  const { alone, apart, together } = workers.microseconds
  return [
    '**Workers: CPU µs of a POST through all plugins, all on one core**',
    table(
      ['one gateway', 'two gateways apart', 'two workers and their supervisor'],
      [[spread(alone), spread(apart), spread(together)]],
    ),
  ].join('\n\n')
}

function peersSection({ peers }: Results): string {
  if (peers === undefined) return ''
  const head = ['', 'version', 'token', 'CPU µs/request', 'p50 ms', 'p99 ms', 'requests/s', 'RSS MB']
  const tables = peers.tables.map(({ title, contenders, allPluginsTo }) => {
    const rows = peers.programs.flatMap(({ name, version, checksToken }) => {
      const measured = contenders[name]
      if (measured === undefined) return []
      const { cpuMicroseconds, requestsPerSecond, p50Ms, p99Ms, residentMegabytes } = measured
      return [
        [
          name,
          version,
          checksToken ? 'checked' : 'not checked',
          spread(cpuMicroseconds),
          digits(p50Ms.median, 2),
          digits(p99Ms.median, 2),
          digits(requestsPerSecond.median, 0),
          digits(residentMegabytes.median, 0),
        ],
      ]
    })
    const compared = Object.entries(allPluginsTo).map(([name, ratio]) => `${spread(ratio)} × ${name}`)
    return `**${title}**\n\n${table(head, rows)}\n\nCPU per request with all plugins: ${compared.join(', ')}.`
  })
  const settings = peers.programs.map(({ name, settings }) => `${name}: ${settings}.`)
  const missing = peers.missing.length === 0 ? [] : [`Not on the PATH: ${peers.missing.join(', ')}.`]
  return [...tables, [...settings, ...missing].join(' ')].join('\n\n')
}

function targetSection(results: Results): string {
  const rows = judgeTargets(results).map(({ what, measured, limit, unit, isFloor, kept }) => [
    what,
    `${digits(measured, 2)} ${unit}`,
    `${isFloor ? 'at least ' : ''}${limit} ${unit}`,
    kept ? 'kept' : '**missed**',
  ])
  if (rows.length === 0) return ''
  return ['**Targets**', table(['', 'measured', 'at most', ''], rows)].join('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

function spread({ median, low, high }: Spread): string {
  return `${digits(median, 2)} (${digits(low, 2)} to ${digits(high, 2)})`
}

function digits(value: number, count: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: count, maximumFractionDigits: count })
}
