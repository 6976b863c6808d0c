import type { StartObserved } from './start-observed.ts'

/** An answer of the gateway, or what a client made of it. */
export interface ProvokedAnswer {
  readonly status: number
  readonly body: Buffer | string
}

/** How a code is provoked, and its reason beside the code. */
export interface Provocation {
  readonly step: string
  readonly rule?: string
  readonly cause?: string
  /** The label of requests without a route. */
  readonly route?: 'unmatched'
  /** Starts a gateway and sends the request that gets the code, with the ids of `sendRequest`. */
  readonly provoke: (start: StartObserved) => Promise<ProvokedAnswer>
}
