import type { ClientSocket } from '../listen/handed-connections.ts'

/** What one side of a channel can be asked or told, by name. */
export type Desk = Readonly<Record<string, (value: never, socket?: ClientSocket) => unknown>>

/** The process on the other side, as Node gives it: a child, or the parent by way of `process`. */
export interface Peer {
  send?(
    message: unknown,
    socket: ClientSocket | undefined,
    options: { readonly keepOpen?: boolean } | undefined,
    done: (error: Error | null) => void,
  ): boolean
  on(event: 'message', listener: (message: unknown, socket?: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

type Given<Call> = Call extends (value: infer Value, ...rest: never[]) => unknown ? Value : never
type Answer<Call> = Call extends (...given: never[]) => infer Result ? Awaited<Result> : never

/** Questions and news between two processes of one gateway. */
export interface Channel<Theirs extends Desk> {
  /** Rejects when the other process is gone or its desk fails. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    value: Given<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>>
  /** Says something that needs no answer. A process that is gone hears nothing. */
  tell<Name extends keyof Theirs & string>(name: Name, value: Given<Theirs[Name]>): void
  /** The same with a connection, which stays open here too. */
  hand<Name extends keyof Theirs & string>(name: Name, value: Given<Theirs[Name]>, socket: ClientSocket): void
}

type Message =
  | { readonly type: 'ask'; readonly id: number; readonly name: string; readonly value: unknown }
  | { readonly type: 'tell'; readonly name: string; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown; readonly failed?: boolean }

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Opens a channel. Both processes run this very code, so that what comes is what was sent. */
export function createChannel<Theirs extends Desk>(peer: Peer, desk: Desk): Channel<Theirs> {
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let isGone = false
  const send = (message: Message, socket?: ClientSocket) =>
    // The callback takes the error of a process that is gone; without it that would be thrown.
    void peer.send?.(message, socket, { keepOpen: true }, () => undefined)
  peer.on('message', (message, socket) =>
    hear(message as Message, { waiting, desk, send, socket: socket as ClientSocket | undefined }),
  )
  peer.on('disconnect', () => {
    isGone = true
    for (const { reject } of waiting.values()) reject(new Error('the other process is gone'))
    waiting.clear()
  })
  return {
    ask(name, value) {
      if (isGone) return Promise.reject(new Error('the other process is gone'))
      asked += 1
      const id = asked
      send({ type: 'ask', id, name, value })
      return new Promise((resolve, reject) =>
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject }),
      )
    },
    tell: (name, value) => send({ type: 'tell', name, value }),
    hand: (name, value, socket) => send({ type: 'tell', name, value }, socket),
  }
}

interface Hearing {
  readonly waiting: Map<number, Waiting>
  readonly desk: Desk
  readonly send: (message: Message) => void
  readonly socket: ClientSocket | undefined
}

function hear(message: Message, { waiting, desk, send, socket }: Hearing): void {
  switch (message.type) {
    case 'tell':
      desk[message.name]?.(message.value as never, socket)
      return
    case 'ask':
      void answer(message, desk).then(send)
      return
    case 'answer': {
      const asker = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.failed) asker?.reject(new Error('the other process failed to answer'))
      else asker?.resolve(message.value)
    }
  }
}

async function answer({ id, name, value }: Extract<Message, { type: 'ask' }>, desk: Desk): Promise<Message> {
  try {
    const call = desk[name]
    // A worker that still starts has nothing to say: no answer must not look like one.
    if (call === undefined) return { type: 'answer', id, failed: true }
    return { type: 'answer', id, value: await call(value as never) }
  } catch {
    return { type: 'answer', id, failed: true }
  }
}
