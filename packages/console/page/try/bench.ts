import { keep } from '../shell/kept.ts'
import { outcomeLabel } from '../shell/outcome-family.ts'
import { createStore, type Store } from '../shell/store.ts'
import { type Exchange, type Sending, startExchange } from './exchange.ts'
import { createHistory, type History, makeEntry, type SentDraft } from './history.ts'

/** The state that survives a change of the view, so that an exchange does not end with it. */
export interface BenchState {
  /** The token; only in memory. */
  readonly token: string
  /** The person of the token. */
  readonly tokenNote: string
  readonly sent: Sent | undefined
}

/** The exchange that was sent last. */
export interface Sent {
  readonly exchange: Exchange
  /** The token of the sender, independent of the current form. */
  readonly token: string
  /** The number of the exchange. */
  readonly turn: number
}

/** The state of the Try view. */
export interface Bench extends Pick<Store<BenchState>, 'get' | 'subscribe'> {
  setToken(token: string, note?: string): void
  /** Starts an exchange and stops the previous one, which is no longer shown. The history keeps the form. */
  send(sending: Sending, form: Omit<SentDraft, 'token'>): void
  readonly history: History
  /** Ends the exchange and forgets tokens, form and history, for the next person at this browser. */
  forget(): void
}

/** The parts of the Try view outside of it. */
export interface BenchParts {
  readonly start: (sending: Sending) => Exchange
  readonly history: History
}

const browserParts = (): BenchParts => ({
  start: startExchange,
  history: createHistory(() => localStorage),
})

/** Creates the state of the Try view. */
export function createBench({ start, history }: BenchParts = browserParts()): Bench {
  const store = createStore<BenchState>({ token: '', tokenNote: '', sent: undefined })
  const change = (part: Partial<BenchState>) => store.set({ ...store.get(), ...part })
  return {
    get: store.get,
    subscribe: store.subscribe,
    setToken: (token, tokenNote = '') => change({ token, tokenNote }),
    history,
    forget() {
      store.get().sent?.exchange.stop()
      change({ token: '', tokenNote: '', sent: undefined })
      history.clear()
      keep('try', '')
    },
    send(sending, form) {
      const before = store.get().sent
      before?.exchange.stop()
      const { token } = sending
      const entry = makeEntry({ ...form, token }, new Date().toISOString())
      history.add(entry)
      const exchange = start(sending)
      noteAnswer(exchange, (answer) => history.answered(entry.id, answer))
      change({ sent: { exchange, token, turn: (before?.turn ?? 0) + 1 } })
    },
  }
}

/** Reports the outcome of an exchange at its end. */
function noteAnswer(exchange: Exchange, note: (answer: { status: number; outcome: string }) => void): void {
  const unsubscribe = exchange.subscribe(() => {
    const { phase, outcome, steps } = exchange.get()
    if (phase !== 'ended') return
    unsubscribe()
    const last = steps.findLast(({ kind }) => kind === 'main')?.answer
    if (outcome !== undefined)
      return note({
        status: outcome.answer.status,
        outcome: outcomeLabel(outcome.type, outcome.answer.status),
      })
    if (last !== undefined) note({ status: last.status, outcome: last.outcome })
  })
}
