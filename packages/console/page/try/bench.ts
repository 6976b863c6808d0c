import { createStore, type Store } from '../shell/store.ts'
import { type Exchange, type Sending, startExchange } from './exchange.ts'

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
  /** Starts an exchange and stops the previous one, which is no longer shown. */
  send(sending: Sending): void
}

/** Creates the state of the Try view. */
export function createBench(start: (sending: Sending) => Exchange = startExchange): Bench {
  const store = createStore<BenchState>({ token: '', tokenNote: '', sent: undefined })
  const change = (part: Partial<BenchState>) => store.set({ ...store.get(), ...part })
  return {
    get: store.get,
    subscribe: store.subscribe,
    setToken: (token, tokenNote = '') => change({ token, tokenNote }),
    send(sending) {
      const before = store.get().sent
      before?.exchange.stop()
      const { token } = sending
      change({ sent: { exchange: start(sending), token, turn: (before?.turn ?? 0) + 1 } })
    },
  }
}
