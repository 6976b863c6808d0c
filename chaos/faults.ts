/** What ends the flow of bytes in one direction. */
export type Ending =
  /** Both sides see the connection end in order. */
  | 'close'
  /** Both sides see it reset. */
  | 'reset'
  /** Only the receiver sees an end; the other direction goes on. */
  | 'half-close'
  /** Nothing more passes, and nobody is told. */
  | 'silence'

/** What happens to the bytes of one direction. Bytes are counted from the beginning of a turn. */
export interface Way {
  /** Each piece comes so much later. */
  readonly delayMs?: number
  /** Pieces of so many bytes, one after another at this distance. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number }
  /** What the sender never sent, in front of its first piece. */
  readonly before?: string
  /** What the sender never sent, behind its first piece and in the same write. */
  readonly after?: string
  /** The first piece passes twice. */
  readonly twice?: true
  /** Passes in place of what was sent. */
  readonly instead?: string
  /** So many bytes pass, or every byte of the first piece, then this happens. */
  readonly stop?: { readonly after: number | 'piece'; readonly by: Ending }
}

/** What happens to a connection before a byte has passed. */
export type Opening =
  | 'closed'
  | 'reset'
  /** It is accepted, and then nothing ever happens. */
  | 'silent'
  /** It is accepted, and joined to the server only later. */
  | 'late'
  /** The server speaks first. */
  | 'talkative'

/** A way in which a network or a peer fails. */
export interface Fault {
  readonly name: string
  /** Nobody listens, or the listener never takes a connection up and the kernel takes no more. */
  readonly listener?: 'refused' | 'unaccepted'
  readonly opening?: Opening
  /** From the side that connected to the other. */
  readonly request?: Way
  /** And back. */
  readonly answer?: Way
  /** The other side may wait for ever: only a deadline ends this. */
  readonly hangs?: true
}

/** Nobody's protocol. */
const GARBAGE = '\x00\x01 these bytes belong to nobody \xfe\xff\r\n'
const STRAY_ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{"id":"somebody\'s"}'

const stop = (after: number | 'piece', by: Ending): Way => ({ stop: { after, by } })
/** Within the first line of a request or an answer, within its head, and within the body of an answer of 2 KB. */
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

/** Every fault there is, by what happens on the wire. */
export const faults: readonly Fault[] = [...openings, ...requestFaults, ...answerFaults]

/** Finds a fault by its name. */
export function faultNamed(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name)
}
