import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Conversation } from './conversation.ts'

/** The result of a conversation. */
export interface Talked {
  readonly received: string
  /** Neither answered nor closed in time. */
  readonly hung: boolean
  /** The connection was refused. */
  readonly refused: boolean
}

/** The patience of a client. */
export interface Patience {
  /** The client ends its side after this time without a byte. */
  readonly quietMs: number
  /** The time of the gateway to close after that. */
  readonly closeMs: number
  /** Called with the time between received bytes and the bytes before them. */
  readonly heard?: (ms: number) => void
  /** Whether all expected bytes have arrived: then a short silence is enough. */
  readonly enough?: (received: string) => boolean
}

const PACE_MS = 1
const AFTER_ENOUGH_MS = 40

/** Holds one conversation with a gateway. */
export async function talk(port: number, conversation: Conversation, patience: Patience): Promise<Talked> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const state = listen(socket, patience)
  await state.connected
  await send(socket, conversation)
  if (conversation.leaves !== 'after answers') {
    // A short read first, so that the gateway is at work when the client leaves.
    await Promise.race([state.closed, wait(1)])
    if (conversation.leaves === 'early') socket.destroy()
    else socket.resetAndDestroy()
    await state.closed
    return { received: '', hung: false, refused: state.refused() }
  }
  await Promise.race([state.closed, state.quiet()])
  socket.end()
  const hung = !(await closesWithin(state.closed, patience.closeMs))
  socket.destroy()
  return { received: state.received(), hung, refused: state.refused() }
}

function listen(socket: Socket, { quietMs, heard, enough }: Patience) {
  const chunks: string[] = []
  let opened = false
  let heardAt = performance.now()
  const { promise: connected, resolve: settle } = Promise.withResolvers<void>()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    chunks.push(chunk)
    const now = performance.now()
    heard?.(now - heardAt)
    heardAt = now
  })
  socket.once('connect', () => {
    opened = true
    settle()
  })
  // A reset by the gateway counts as closing.
  socket.on('error', () => settle())
  return {
    connected,
    closed,
    refused: () => !opened,
    received: () => chunks.join(''),
    async quiet(): Promise<void> {
      heardAt = performance.now()
      const left = () => {
        const ms = enough?.(chunks.join('')) ? AFTER_ENOUGH_MS : quietMs
        return heardAt + ms - performance.now()
      }
      const step = enough === undefined ? Number.POSITIVE_INFINITY : AFTER_ENOUGH_MS
      for (let ms = left(); ms > 0 && !socket.closed; ms = left())
        await wait(Math.min(ms, step), undefined, { ref: false })
    },
  }
}

async function send(socket: Socket, { bytes, cuts, paced }: Conversation): Promise<void> {
  let at = 0
  for (const cut of cuts) {
    if (socket.destroyed || !socket.writable) return
    socket.write(bytes.subarray(at, cut))
    at = cut
    if (paced) await wait(PACE_MS)
    else await new Promise((resolve) => setImmediate(resolve))
  }
  if (socket.writable) socket.write(bytes.subarray(at))
}

async function closesWithin(closed: Promise<void>, ms: number): Promise<boolean> {
  const stop = new AbortController()
  const late = wait(ms, false, { signal: stop.signal }).catch(() => false)
  const inTime = await Promise.race([closed.then(() => true), late])
  stop.abort()
  return inTime
}

/** The length of a silence that means the end of the answers. */
export interface QuietTime {
  ms(): number
  /** Notes the time between an answer and the bytes before it. */
  heard(ms: number): void
}

const REMEMBERED = 200
const FACTOR = 4
const SHORTEST_MS = 150
const LONGEST_MS = 5000

/** Follows the speed of answers: with a fixed time, a slow answer on a busy machine would count as none. */
export function createQuietTime(): QuietTime {
  const recent: number[] = []
  return {
    ms: () =>
      recent.length < REMEMBERED
        ? LONGEST_MS / 5
        : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, FACTOR * Math.max(...recent))),
    heard(ms) {
      recent.push(ms)
      if (recent.length > REMEMBERED) recent.shift()
    },
  }
}
