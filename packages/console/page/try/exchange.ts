import {
  type Answered,
  type AnsweredAs,
  type Answers,
  type ClientRequest,
  createClient,
  type Fetch,
  type OperationStatus,
  type PendingApproval,
  ProfileViolationError,
  TransportError,
} from '@agentic-rest/client'
import { EVENT_STREAM_TYPE, headerKeys } from '@agentic-rest/profile'
import type { Approval } from '@agentic-rest/profile/approval'
import { createStore, type Store } from '../shell/store.ts'
import { messageOf } from '../shell/use-load.ts'
import { watchApproval } from './approvals.ts'
import { createEventView } from './event-view.ts'
import { createWireLog, type OnStep, type Step } from './wire-log.ts'

/** The state of an exchange. */
export interface ExchangeState {
  /** `waiting`: for an approval. */
  readonly phase: 'sending' | 'asking' | 'approving' | 'waiting' | 'ended'
  readonly steps: readonly Step[]
  readonly question: AnsweredAs<'clarification_required'> | undefined
  readonly approval: PendingApproval | undefined
  /** The approval as its service shows it now; undefined if the sender does not see it. */
  readonly seen: Approval | undefined
  readonly progress: OperationStatus | undefined
  readonly outcome: Answered | undefined
  readonly fault: Fault | undefined
}

/** The reason why there is no outcome, and a hint. */
export interface Fault {
  readonly title: string
  readonly detail: string
}

/** A running exchange. */
export interface Exchange extends Pick<Store<ExchangeState>, 'get' | 'subscribe'> {
  /** Answers a clarification. */
  answer(answers: Answers): void
  /** True: the approval is decided. False: stop without one. */
  proceed(goesOn: boolean): void
  /** Goes on by itself once the approval is decided; the decision is still possible here. */
  waitForOther(): void
  /** Shows what a decision here has led to. */
  saw(approval: Approval): void
  stop(): void
}

/** The request and its sender. */
export interface Sending {
  readonly baseUrl: string
  readonly token: string
  /** Sends as the person of the session, instead of a token. */
  readonly send?: Fetch | undefined
  readonly request: ClientRequest
  readonly isStream: boolean
  /** The service ends its streams with an outcome. Streams of others just end. */
  readonly endsTyped: boolean
}

const first: ExchangeState = {
  phase: 'sending',
  steps: [],
  question: undefined,
  approval: undefined,
  seen: undefined,
  progress: undefined,
  outcome: undefined,
  fault: undefined,
}

/** Sends a request with the client package and follows it to its end; the user of the page answers questions. */
export function startExchange(sending: Sending): Exchange {
  const store = createStore(first)
  const change = (part: Partial<ExchangeState>) => store.set({ ...store.get(), ...part })
  const stopping = new AbortController()
  const events = createEventView({ get: () => store.get().steps, set: (steps) => change({ steps }) })
  const person = createPerson(store, watcherOf(sending, stopping.signal))
  const onStep: OnStep = (index, step) => change({ steps: store.get().steps.toSpliced(index, 1, step) })
  const client = createClient({
    baseUrl: sending.baseUrl,
    token: sending.token || undefined,
    fetch: createWireLog(sending.request, onStep, sending.send),
  })
  const { isStream, request } = sending
  const accept = isStream && { headers: { ...request.headers, Accept: EVENT_STREAM_TYPE } }
  async function carry(): Promise<void> {
    const outcome = await client.run(
      { ...request, ...accept, signal: stopping.signal },
      {
        onClarification(question) {
          events.end(question.type, question)
          return person.onClarification(question)
        },
        onApproval(approval) {
          const { location, ...body } = approval
          events.end('approval_required', body)
          return person.onApproval(approval)
        },
        onProgress: (progress) => change({ progress }),
        ...(isStream && { onEvent: events.take }),
      },
    )
    events.end(outcome.type, outcome)
    change({ outcome })
  }
  carry()
    .catch((error: unknown) => {
      const { aborted: isStopped } = stopping.signal
      change(endOf(error, { isStopped, endsTyped: sending.endsTyped, ...store.get() }))
    })
    .finally(() => {
      events.draw()
      change({ phase: 'ended', question: undefined, approval: undefined, seen: undefined })
    })
  return {
    get: store.get,
    subscribe: store.subscribe,
    answer: person.answer,
    proceed: person.proceed,
    waitForOther: person.waitForOther,
    saw: person.saw,
    stop: () => stopping.abort(),
  }
}

type Watch = (location: string, onSeen: (approval: Approval) => void) => AbortController

/** Watches approvals with the token of the sender, until the exchange is stopped. */
function watcherOf({ baseUrl, token, send }: Sending, stopped: AbortSignal): Watch {
  return (location, onSeen) => {
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, stopped])
    // One id for all looks, and not that of the exchange, whose timeline they would fill.
    const access = { baseUrl, token, send, location, correlationId: crypto.randomUUID() }
    // Without a look the page shows what the answer said.
    watchApproval(access, { signal, onSeen }).catch(() => undefined)
    return ending
  }
}

/** Connects the handlers of the client with the page. */
function createPerson(store: Store<ExchangeState>, watch: Watch) {
  const change = (part: Partial<ExchangeState>) => store.set({ ...store.get(), ...part })
  let [answer, proceed]: [(answers: Answers) => void, (goesOn: boolean) => void] = [() => {}, () => {}]
  let watching: AbortController | undefined
  function goOn(goesOn: boolean): void {
    watching?.abort()
    change({ phase: 'sending', approval: undefined, seen: undefined })
    proceed(goesOn)
  }
  function saw(seen: Approval): void {
    // The request is sent again after a rejection too; the service answers with the outcome for it.
    if (store.get().phase === 'waiting' && seen.state !== 'pending') goOn(true)
    else if (store.get().approval !== undefined) change({ seen })
  }
  return {
    saw,
    onClarification(question: AnsweredAs<'clarification_required'>): Promise<Answers> {
      change({ phase: 'asking', question })
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    onApproval(approval: PendingApproval): Promise<boolean> {
      change({ phase: 'approving', approval, seen: undefined })
      watching = approval.location === undefined ? undefined : watch(approval.location, saw)
      return new Promise((resolve) => {
        proceed = resolve
      })
    },
    answer(answers: Answers): void {
      change({ phase: 'sending', question: undefined })
      answer(answers)
    },
    proceed: goOn,
    waitForOther: () => change({ phase: 'waiting' }),
  }
}

/** The displayed error of the client. */
export function endOf(
  error: unknown,
  { isStopped, endsTyped, steps, progress }: Ended,
): Partial<ExchangeState> {
  if (isStopped) return { fault: { title: 'Stopped.', detail: stoppedDetail({ steps, progress }) } }
  if (!endsTyped && isWholeStream(error)) return {}
  return { fault: faultOf(error) }
}

interface Ended extends Pick<ExchangeState, 'steps' | 'progress'> {
  readonly isStopped: boolean
  readonly endsTyped: boolean
}

/** The consequence of an abort. It ends a request, but not a background operation or an approval. */
function stoppedDetail({ steps, progress }: Pick<Ended, 'steps' | 'progress'>): string {
  const last = steps.findLast(({ kind }) => kind === 'main')?.answer
  if (progress !== undefined || last?.outcome === 'accepted')
    return 'This page no longer looks at it. The service goes on with the work in the background.'
  if (last?.outcome === 'approval_required')
    return 'This page no longer waits. The approval stays open where it is kept.'
  if (last === undefined || last.isStream) return 'You ended it. The gateway was told.'
  return 'You ended it. Nothing was on its way.'
}

/** A stream that was not cut off; it only has no last frame. */
function isWholeStream(error: unknown): boolean {
  return error instanceof TransportError && error.code === 'STREAM_FAILED' && error.cause === undefined
}

function faultOf(error: unknown): Fault {
  const detail = messageOf(error)
  if (error instanceof ProfileViolationError)
    return { title: 'The answer is not one of the profile.', detail }
  if (error instanceof TransportError && error.code === 'NETWORK') {
    const cause = 'Either the gateway is not running, or its gateway.cors.origins do not name this page.'
    return { title: 'The gateway could not be reached.', detail: cause }
  }
  if (error instanceof TransportError && ['STREAM_FAILED', 'EVENT_TOO_LARGE'].includes(error.code))
    return { title: 'The stream has no outcome.', detail }
  if (error instanceof TransportError) return { title: 'There is no answer.', detail }
  return { title: 'The request could not be sent.', detail }
}

/** The correlation id of all steps. */
export function correlationIdOf({ steps }: ExchangeState): string | undefined {
  return steps[0]?.request.headers.find(([name]) => name === headerKeys.correlationId)?.[1]
}
