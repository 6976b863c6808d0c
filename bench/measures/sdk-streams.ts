import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@agentic-rest/testing/free-port'
import type { BenchContext } from '../bench-context.ts'
import { cpuMicroseconds, residentKilobytes } from '../cpu-time.ts'
import { cores, startPinned } from '../pinned-process.ts'
import { percentile } from '../statistics.ts'
import {
  costsOf,
  type EventCosts,
  type EventRound,
  FIRST_STREAMS,
  SETTLE_MS,
  type StreamCounts,
  startForStreams,
} from './streams.ts'

/** Streams of the service SDK, beside those of node:http alone. */
export interface SdkStreamResult {
  readonly streams: number
  /** Ten events a second on each stream. */
  readonly throughGateway: EventCosts
  readonly direct: EventCosts
  readonly bare: EventCosts
  readonly idleStreams: number
  readonly stalledReaders: number
  readonly kilobytes: { readonly sdk: StreamMemory; readonly bare: StreamMemory }
}

/** The resident kilobytes of a stream in the service, without a gateway. */
export interface StreamMemory {
  readonly idle: number
  readonly stalled: number
}

const WARM_UP_SECONDS = 4

/** Measures streams of a service of the SDK. */
export async function measureSdkStreams(
  context: BenchContext,
  counts: StreamCounts,
): Promise<SdkStreamResult> {
  const measure = async (program: Program, throughGateway = false) => {
    context.tell(`${counts.busy} streams of ${program}${throughGateway ? ' through the gateway' : ''}`)
    return costsOf(await busyRounds(context, counts.busy, { program, throughGateway }))
  }
  const measureMemory = async (program: Program): Promise<StreamMemory> => {
    context.tell(`${counts.idle} idle streams and ${counts.stalled} stalled readers of ${program}`)
    const idle = await memoryOf(program, 'idle', counts.idle)
    return { idle, stalled: await memoryOf(program, 'flood', counts.stalled) }
  }
  return {
    streams: counts.busy,
    throughGateway: await measure('sdk-service', true),
    direct: await measure('sdk-service'),
    bare: await measure('bare-streams'),
    idleStreams: counts.idle,
    stalledReaders: counts.stalled,
    kilobytes: { sdk: await measureMemory('sdk-service'), bare: await measureMemory('bare-streams') },
  }
}

/** A program of `bench/load`. */
type Program = 'sdk-service' | 'bare-streams'

async function busyRounds(
  context: BenchContext,
  streams: number,
  { program, throughGateway }: { readonly program: Program; readonly throughGateway: boolean },
): Promise<readonly EventRound[]> {
  const service = await startProgram(program)
  const gateway = throughGateway ? await startForStreams(context, 'gateway', service.port) : undefined
  const delays: number[] = []
  const readers = await openReaders(gateway?.port ?? service.port, {
    how: 'busy',
    streams,
    token: context.issuer.token(),
    onEvents: (text) => {
      const now = Number(process.hrtime.bigint()) / 1e6
      for (const [, yieldedAt] of text.matchAll(/data: ([\d.]+)\n\n/g)) delays.push(now - Number(yieldedAt))
    },
  })
  try {
    await wait(1000 * WARM_UP_SECONDS)
    const rounds: EventRound[] = []
    for (let round = 0; round < context.rounds; round += 1) {
      delays.length = 0
      const before = cpuMicroseconds(service.pid)
      await wait(1000 * context.secondsPerRound)
      const cpu = cpuMicroseconds(service.pid) - before
      const sorted = delays.toSorted((first, second) => first - second)
      rounds.push({
        events: sorted.length,
        cpuMicrosecondsPerEvent: cpu / sorted.length,
        p50Ms: percentile(sorted, 50),
        p99Ms: percentile(sorted, 99),
      })
    }
    return rounds
  } finally {
    for (const reader of readers) reader.destroy()
    await gateway?.stop()
    await service.stop()
  }
}

async function memoryOf(program: Program, how: 'idle' | 'flood', streams: number): Promise<number> {
  const service = await startProgram(program)
  const opening = { how, token: '', onEvents: undefined } as const
  const first = await openReaders(service.port, { ...opening, streams: FIRST_STREAMS })
  try {
    await wait(SETTLE_MS)
    const before = residentKilobytes(service.pid)
    first.push(...(await openReaders(service.port, { ...opening, streams })))
    await wait(SETTLE_MS)
    return (residentKilobytes(service.pid) - before) / streams
  } finally {
    for (const reader of first) reader.destroy()
    await service.stop()
  }
}

async function startProgram(program: Program) {
  const port = await freePort()
  const file = join(import.meta.dirname, `../load/${program}.ts`)
  const command = [process.execPath, '--conditions=agentic-source', file]
  const env = { PORT: String(port), NODE_ENV: 'production' }
  return { port, ...(await startPinned({ command, core: cores.measured, env, port })) }
}

interface Opening {
  readonly how: 'busy' | 'idle' | 'flood'
  readonly streams: number
  readonly token: string
  /** Without it a reader stalls behind the head of its answer. */
  readonly onEvents: ((text: string) => void) | undefined
}

/** Opens streams one after another and resolves when each has its head. */
async function openReaders(port: number, { how, streams, token, onEvents }: Opening): Promise<Socket[]> {
  const readers: Socket[] = []
  for (let count = 0; count < streams; count += 1) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const authorization = token === '' ? '' : `Authorization: Bearer ${token}\r\n`
    socket.write(
      `GET /events?how=${how} HTTP/1.1\r\nHost: localhost\r\n${authorization}Accept: text/event-stream\r\n\r\n`,
    )
    const head = await new Promise<string>((resolve, reject) => {
      socket.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1')))
      socket.once('error', reject)
    })
    if (!head.startsWith('HTTP/1.1 200'))
      throw new Error(`a stream was answered with ${head.split('\r\n', 1)[0]}`)
    if (onEvents === undefined) socket.pause()
    else socket.on('data', (bytes: Buffer) => onEvents(bytes.toString('latin1')))
    socket.on('error', () => socket.destroy())
    readers.push(socket)
  }
  return readers
}
