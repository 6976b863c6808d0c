/** The end of the bytes in one direction. */
export type Ending =
  /** Both sides see a normal end of the connection. */
  | 'close'
  /** Both sides see a reset. */
  | 'reset'
  /** Only the receiver sees an end; the other direction continues. */
  | 'half-close'
  /** No more bytes pass, without a sign to either side. */
  | 'silence'

/** The faults of one direction. Bytes are counted from the beginning of a turn. */
export interface Way {
  /** The delay of each piece. */
  readonly delayMs?: number
  /** Small pieces with pauses between them. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number }
  /** Extra bytes before the first piece. */
  readonly before?: string
  /** Extra bytes after the first piece, in the same write. */
  readonly after?: string
  /** The first piece passes twice. */
  readonly twice?: true
  /** Replaces the original bytes. */
  readonly instead?: string
  /** The end after a number of bytes or after the first piece. */
  readonly stop?: { readonly after: number | 'piece'; readonly by: Ending }
}

/** The fate of a connection before its first byte. */
export type Opening =
  | 'closed'
  | 'reset'
  /** Accepted, but never served. */
  | 'silent'
  /** Accepted, but connected to the server later. */
  | 'late'
  /** The server speaks first. */
  | 'talkative'

/** A fault of a network or a peer. */
export interface Fault {
  readonly name: string
  /** No listener, or a listener that never accepts, with a full backlog. */
  readonly listener?: 'refused' | 'unaccepted'
  readonly opening?: Opening
  /** The fault from client to server. */
  readonly request?: Way
  /** The fault from server to client. */
  readonly answer?: Way
  /** The other side may wait for ever: only a deadline ends it. */
  readonly hangs?: true
}

/** Bytes of no protocol. */
const GARBAGE = '\x00\x01 these bytes belong to nobody \xfe\xff\r\n'
const STRAY_ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{"id":"somebody\'s"}'

const stop = (after: number | 'piece', by: Ending): Way => ({ stop: { after, by } })
/** Positions in the first line, in the head, and in the body of an answer of 2 KB. */
const [IN_LINE, IN_HEAD, IN_BODY] = [9, 60, 900]

const openings: readonly Fault[] = [
  { name: 'refused', listener: 'refused' },
  { name: 'unaccepted', listener: 'unaccepted', hangs: true },
  { name: 'closed-when-opened', opening: 'closed' },
  { name: 'reset-when-opened', opening: 'reset' },
  { name: 'silent-when-opened', opening: 'silent', hangs: true },
  { name: 'late-when-opened', opening: 'late' },
  { name: 'talkative-when-opened', opening: 'talkative' },
]

const requestFaults: readonly Fault[] = [
  { name: 'request-late', request: { delayMs: 120 } },
  { name: 'request-drips', request: { drip: { bytes: 32, everyMs: 4 } } },
  { name: 'request-closed-before', request: stop(0, 'close') },
  { name: 'request-closed-in-line', request: stop(IN_LINE, 'close') },
  { name: 'request-closed-in-head', request: stop(IN_HEAD, 'close') },
  { name: 'request-reset-before', request: stop(0, 'reset') },
  { name: 'request-reset-in-head', request: stop(IN_HEAD, 'reset') },
  { name: 'request-half-closed', request: stop('piece', 'half-close') },
  { name: 'request-swallowed', request: stop(0, 'silence'), hangs: true },
  { name: 'request-stalls-in-head', request: stop(IN_HEAD, 'silence'), hangs: true },
  { name: 'request-behind-garbage', request: { before: GARBAGE } },
  { name: 'request-before-garbage', request: { after: GARBAGE } },
]

const answerFaults: readonly Fault[] = [
  { name: 'answer-late', answer: { delayMs: 120 } },
  { name: 'answer-too-late', answer: { delayMs: 2500 }, hangs: true },
  { name: 'answer-drips', answer: { drip: { bytes: 64, everyMs: 3 } } },
  { name: 'answer-drips-too-slowly', answer: { drip: { bytes: 1, everyMs: 40 } }, hangs: true },
  { name: 'answer-closed-before', answer: stop(0, 'close') },
  { name: 'answer-closed-in-line', answer: stop(IN_LINE, 'close') },
  { name: 'answer-closed-in-head', answer: stop(IN_HEAD, 'close') },
  { name: 'answer-closed-in-body', answer: stop(IN_BODY, 'close') },
  { name: 'answer-closed-after', answer: stop('piece', 'close') },
  { name: 'answer-reset-before', answer: stop(0, 'reset') },
  { name: 'answer-reset-in-head', answer: stop(IN_HEAD, 'reset') },
  { name: 'answer-reset-in-body', answer: stop(IN_BODY, 'reset') },
  { name: 'answer-reset-after', answer: stop('piece', 'reset') },
  { name: 'answer-half-closed-in-body', answer: stop(IN_BODY, 'half-close') },
  { name: 'answer-swallowed', answer: stop(0, 'silence'), hangs: true },
  { name: 'answer-stalls-in-head', answer: stop(IN_HEAD, 'silence'), hangs: true },
  { name: 'answer-stalls-in-body', answer: stop(IN_BODY, 'silence'), hangs: true },
  { name: 'answer-behind-garbage', answer: { before: GARBAGE } },
  { name: 'answer-before-garbage', answer: { after: GARBAGE } },
  { name: 'answer-twice', answer: { twice: true } },
  { name: 'answer-before-a-stray-one', answer: { after: STRAY_ANSWER } },
  { name: 'answer-in-another-protocol', answer: { instead: 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n' } },
]

/** All faults. */
export const faults: readonly Fault[] = [...openings, ...requestFaults, ...answerFaults]

/** Finds a fault by its name. */
export function faultNamed(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name)
}
