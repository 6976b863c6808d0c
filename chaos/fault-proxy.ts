import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Ending, Fault, Way } from './faults.ts'

/** Chooses faults; `undefined` passes the bytes unchanged. */
export interface FaultChooser {
  /** Called for each accepted connection. Its fault applies to the opening and the first turn. */
  readonly onConnection?: (index: number) => Fault | undefined
  /** Called at the beginning of each turn, with its first bytes. A turn is a request with its answer. */
  readonly onTurn?: (bytes: Buffer) => Fault | undefined
}

/** A TCP proxy that injects faults of networks and peers into chosen connections. */
export interface FaultProxy {
  readonly port: number
  /** The number of injected faults by name. */
  readonly done: ReadonlyMap<string, number>
  /** The open connections. */
  readonly open: number
  /** All accepted connections so far. */
  readonly accepted: number
  choose(chooser: FaultChooser): void
  /** Stops listening. Open connections stay. */
  refuse(): Promise<void>
  /** Listens again, on the same port. */
  listen(): Promise<void>
  /** Resets all open connections. */
  cut(): void
  close(): Promise<void>
}

/** The target and the faults of a proxy. */
export interface FaultProxyOptions {
  /** The port of the local server. */
  readonly target: number
  readonly chooser?: FaultChooser
}

const LATE_OPENING_MS = 150
const TALK = 'what is it?\r\n\r\n'

/** Starts a proxy in front of a local server. */
export async function startFaultProxy({ target, chooser = {} }: FaultProxyOptions): Promise<FaultProxy> {
  const done = new Map<string, number>()
  const clients = new Set<Socket>()
  const state = { chooser, accepted: 0, port: 0 }
  const note = (fault: Fault | undefined) => {
    if (fault !== undefined) done.set(fault.name, (done.get(fault.name) ?? 0) + 1)
    return fault
  }
  const accept = (client: Socket) => {
    clients.add(client)
    client.on('error', ignore).once('close', () => clients.delete(client))
    const fault = note(state.chooser.onConnection?.(state.accepted))
    state.accepted += 1
    open(client, fault, () =>
      join(client, { target, first: fault, onTurn: (bytes) => note(state.chooser.onTurn?.(bytes)) }),
    )
  }
  const makeServer = () => createServer({ allowHalfOpen: true, noDelay: true }, accept)
  let server = await listening(makeServer(), 0)
  state.port = (server.address() as AddressInfo).port
  const cut = () => {
    for (const client of clients) reset(client)
  }
  const refuse = () => stopListening(server)
  return {
    port: state.port,
    done,
    get open() {
      return clients.size
    },
    get accepted() {
      return state.accepted
    },
    choose(next) {
      state.chooser = next
    },
    refuse,
    async listen() {
      server = await listening(makeServer(), state.port)
    },
    cut,
    async close() {
      const stopped = refuse()
      cut()
      await stopped
    },
  }
}

function ignore(): void {}

async function listening(server: Server, port: number): Promise<Server> {
  server.listen({ host: '127.0.0.1', port, backlog: 4096 })
  await once(server, 'listening')
  return server
}

/** Stops listening at once, without waiting for open connections. */
async function stopListening(server: Server): Promise<void> {
  if (server.listening) server.close()
}

/** The fate of a connection before its first byte. */
function open(client: Socket, fault: Fault | undefined, goOn: () => void): void {
  switch (fault?.opening) {
    case 'reset':
      reset(client)
      return
    case 'closed':
      client.destroySoon()
      return
    case 'silent':
      silence(client)
      return
    case 'late':
      setTimeout(() => !client.destroyed && goOn(), LATE_OPENING_MS)
      return
    case 'talkative':
      client.write(TALK)
      goOn()
      return
    case undefined:
      goOn()
  }
}

/** Reads and discards; the connection ends with its peer. */
function silence(socket: Socket): void {
  socket.on('data', ignore).once('end', () => socket.destroySoon())
}

interface Joint {
  readonly target: number
  /** The fault of the first turn. */
  readonly first: Fault | undefined
  readonly onTurn: (bytes: Buffer) => Fault | undefined
}

/** One direction of a connection. */
interface Direction {
  readonly from: Socket
  readonly to: Socket
  readonly side: 'request' | 'answer'
  /** Bytes and pieces of this turn so far. */
  bytes: number
  pieces: number
  /** No more bytes pass. */
  stopped: boolean
}

/** Connects a client to the server and forwards bytes both ways, turn by turn. */
function join(client: Socket, { target, first, onTurn }: Joint): void {
  const server = connect({ host: '127.0.0.1', port: target, noDelay: true, allowHalfOpen: true })
  const forth = direction(client, server, 'request')
  const back = direction(server, client, 'answer')
  const turn = { fault: first, begun: false }
  const begin = (bytes: Buffer) => {
    // Bytes of the client after bytes of the server begin a new turn.
    if (turn.begun && back.pieces === 0) return
    turn.fault = turn.begun ? onTurn(bytes) : (first ?? onTurn(bytes))
    turn.begun = true
    for (const way of [forth, back]) Object.assign(way, { bytes: 0, pieces: 0 })
  }
  carry(forth, () => turn.fault?.request, begin)
  carry(back, () => turn.fault?.answer)
}

function direction(from: Socket, to: Socket, side: Direction['side']): Direction {
  return { from, to, side, bytes: 0, pieces: 0, stopped: false }
}

function carry(
  way: Direction,
  current: () => Way | undefined,
  begin: (bytes: Buffer) => void = ignore,
): void {
  const { from, to } = way
  from.on('data', (bytes: Buffer) => {
    if (way.stopped) return
    begin(bytes)
    const fault = current()
    way.pieces += 1
    if (fault === undefined) pass(way, bytes)
    else void passFaulty(way, bytes, fault)
  })
  from.on('error', () => reset(to))
  // A peer without an answer closes some day; nothing else would end that connection.
  from.once('end', () => void (way.stopped ? from.destroySoon() : to.end()))
  from.once('close', () => void to.destroySoon())
}

/** Forwards bytes, no faster than the receiver reads. */
function pass({ from, to }: Direction, bytes: Buffer): void {
  if (to.write(bytes)) return
  from.pause()
  to.once('drain', () => from.resume())
}

/** Forwards bytes with a fault. Meanwhile this direction is not read. */
async function passFaulty(way: Direction, bytes: Buffer, fault: Way): Promise<void> {
  way.from.pause()
  if (fault.delayMs !== undefined) await wait(fault.delayMs)
  const { stop } = fault
  const changed = change(way, bytes, fault)
  const room = stop === undefined || stop.after === 'piece' ? changed.length : stop.after - way.bytes
  const rest = changed.subarray(0, Math.max(0, room))
  way.bytes += rest.length
  await send(way, rest, fault)
  const isOver = stop !== undefined && (stop.after === 'piece' || way.bytes >= stop.after)
  if (isOver) end(way, stop.by)
  way.from.resume()
}

/** The bytes to forward in place of the original ones. */
function change({ pieces }: Direction, bytes: Buffer, { before, after, twice, instead }: Way): Buffer {
  if (instead !== undefined) return Buffer.from(pieces === 1 ? instead : '', 'latin1')
  if (pieces > 1) return bytes
  const parts = [Buffer.from(before ?? '', 'latin1'), bytes, Buffer.from(after ?? '', 'latin1')]
  return Buffer.concat(twice ? [...parts, bytes] : parts)
}

async function send({ to }: Direction, bytes: Buffer, { drip }: Way): Promise<void> {
  const size = drip?.bytes ?? bytes.length
  for (let at = 0; at < bytes.length && !to.destroyed; at += size) {
    if (!to.write(bytes.subarray(at, at + size))) await roomIn(to)
    if (drip !== undefined) await wait(drip.everyMs)
  }
}

/** Resolves when the socket is drained or closed. */
function roomIn(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close']) socket.once(event, () => resolve())
  })
}

function end(way: Direction, by: Ending): void {
  const { from, to } = way
  way.stopped = true
  switch (by) {
    case 'close':
      for (const socket of [to, from]) socket.destroySoon()
      return
    case 'reset':
      resetWhenSent(to)
      reset(from)
      return
    case 'half-close':
      to.end()
      return
    case 'silence':
      return
  }
}

/**
 * Resets a connection. After `end()` it cannot be reset: Node would neither reset nor close it, and the process would
 * never exit.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

const NOTHING = Buffer.alloc(0)

/** A reset discards unsent bytes: it waits until they are written. */
function resetWhenSent(socket: Socket): void {
  if (socket.writableLength === 0) reset(socket)
  else socket.write(NOTHING, () => reset(socket))
}
