import type { Exchange, SentRequest } from './exchange.ts'
import { type Limits, type OpenExchange, openStream, send, usualLimits, type Watcher } from './send.ts'

/** Sends the requests of one run, with shorter timeouts after repeated timeouts. */
export interface Sender {
  send(request: SentRequest, limits?: Partial<Limits>, watcher?: Watcher): Promise<Exchange>
  open(request: SentRequest): Promise<OpenExchange>
}

const FEW_TIMEOUTS = 3
const MOST_TIMEOUTS = 6
const IMPATIENT_MS = 500

/** Creates a sender. After several timeouts it waits less, then sends nothing more, so that a run ends. */
export function createSender(timeoutMs: number): Sender {
  let inVain = 0
  const limitsNow = (limits: Partial<Limits> = {}): Limits => {
    const wanted = { ...usualLimits, timeoutMs, ...limits }
    return inVain < FEW_TIMEOUTS ? wanted : { ...wanted, timeoutMs: Math.min(IMPATIENT_MS, wanted.timeoutMs) }
  }
  const remember = ({ failure, answer }: Exchange, isWhole: boolean): void => {
    if (/within [\d.]+ s$/.test(failure ?? answer?.cut ?? '')) inVain += 1
    else if (isWhole) inVain = 0
  }
  return {
    async send(request, limits, watcher) {
      if (inVain >= MOST_TIMEOUTS) return notSent(request)
      const exchange = await send(request, limitsNow(limits), watcher)
      remember(exchange, true)
      return exchange
    },
    async open(request) {
      if (inVain >= MOST_TIMEOUTS)
        return { exchange: notSent(request), hasEnded: () => true, close: () => undefined }
      const stream = await openStream(request, limitsNow())
      // A head alone does not reset the counter.
      remember(stream.exchange, false)
      return stream
    },
  }
}

function notSent(request: SentRequest): Exchange {
  return {
    request,
    failure: `it was not sent, since ${MOST_TIMEOUTS} answers in a row did not come`,
    unsent: true,
  }
}
