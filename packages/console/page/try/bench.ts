import { createStore, type Store } from '../shell/store.ts'
import { type Exchange, type Sending, startExchange } from './exchange.ts'

/** What outlives the view: a look at the timeline, or a wrong click, must not end an exchange. */
export interface BenchState {
  /** In the memory of the page, and nowhere else. */
  readonly token: string
  /** Whose token it is. */
  readonly tokenNote: string
  readonly sent: Sent | undefined
}

/** The exchange that was sent last. */
export interface Sent {
  readonly exchange: Exchange
  /** Of the person who sent it, whatever the form says by now. */
  readonly token: string
  /** Counts up, to tell one exchange from the next. */
  readonly turn: number
}

/** Where requests are sent from. */
export interface Bench extends Pick<Store<BenchState>, 'get' | 'subscribe'> {
  setToken(token: string, note?: string): void
  /** Begins an exchange; the one before is stopped, since nothing would show it any more. */
  send(sending: Sending): void
}

/** Makes the bench of a page. */
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
