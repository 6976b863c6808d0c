import { outcomes } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import type { MalformedRequest } from '../listen/malformed-request.ts'
import type { Log } from '../log.ts'

/** Tells the log why requests were refused or could not be served. */
export interface ReasonLog {
  /** Takes a finished request with a reason, or with broken rules of the profile. */
  tell(exchange: Exchange): void
  /** Takes a request that was refused before it had a trace. */
  tellMalformed(refused: MalformedRequest): void
}

/** Lines per code and second: a flood of refused requests must not become a flood of lines. */
const LINES_PER_SECOND = 10
/** Codes of custom plugins beyond this number share one count. */
const MOST_CODES = 128
const REPORTED = 'reported'

interface Window {
  startedAt: number
  lines: number
  /** Requests without a line since the last line. */
  untold: number
}

/** Makes the log of reasons; `now` is replaced by tests. */
export function createReasonLog(log: Log, now: () => number = () => performance.now()): ReasonLog {
  const windows = new Map<string, Window>()
  const limited = (key: string, tell: (untold: object) => void) => {
    const window = windowOf(windows, key)
    const at = now()
    if (at - window.startedAt >= 1000) {
      window.startedAt = at
      window.lines = 0
    }
    if (window.lines >= LINES_PER_SECOND) {
      window.untold += 1
      return
    }
    window.lines += 1
    const { untold } = window
    window.untold = 0
    tell(untold > 0 ? { untold } : {})
  }
  return {
    tell: (exchange) => limited(exchange.reason?.code ?? REPORTED, (untold) => write(log, exchange, untold)),
    tellMalformed: ({ status, cause, clientAddress }) =>
      limited(String(status), (untold) =>
        log.info('a malformed request was refused', {
          status,
          cause,
          client_address: clientAddress,
          ...untold,
        }),
      ),
  }
}

function windowOf(windows: Map<string, Window>, code: string): Window {
  const key = windows.has(code) || windows.size < MOST_CODES ? code : ''
  const known = windows.get(key) ?? { startedAt: Number.NEGATIVE_INFINITY, lines: 0, untold: 0 }
  windows.set(key, known)
  return known
}

/** A service or the gateway is at fault with 424 and 5xx; every other refusal is the caller's. */
function write(log: Log, exchange: Exchange, untold: object): void {
  const { trace, route, result, reason, violations } = exchange
  const { status = 0 } = result ?? {}
  const fields = {
    request_id: trace.requestId,
    correlation_id: trace.correlationId,
    route: route?.id ?? 'unmatched',
    status,
    ...(reason === undefined ? { rule: violations.join(',') } : reason),
    ...untold,
  }
  if (reason === undefined) log.info('an answer broke a rule of the profile', fields)
  else if (status === outcomes.failed_dependency.status || status >= outcomes.error.status)
    log.warn('a request could not be served', fields)
  else log.info('a request was refused', fields)
}
