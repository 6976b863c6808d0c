import type { Outcome } from '@agentic-rest/profile'
import { codeOf, type ErrorCode, VALIDATION_FAILED } from '../errors.ts'
import type { Exchange, Reason } from '../exchange.ts'
import { lastOutcome } from './deliver.ts'

const LONGEST_CODE = 64

/**
 * Why the gateway answered a request itself or broke its answer off; `undefined` for every other request. The log, the
 * record, the span, the metrics, the admin API and the console show this and decide nothing themselves.
 */
export function reasonOf(exchange: Exchange): Reason | undefined {
  const { outcome, delivery, result, step, cause } = exchange
  const own = outcome ?? (delivery && lastOutcome(delivery.end))
  // A plugin may answer with success too.
  if (own === undefined || Math.floor((result?.status ?? 0) / 100) === 2) return undefined
  return { code: codeOf(own).slice(0, LONGEST_CODE), rule: ruleOf(exchange, own), cause, step }
}

/** The part of the configuration, of the profile or of the request that decided. */
function ruleOf(exchange: Exchange, outcome: Outcome): string | undefined {
  const { limit, deniedPolicy, violations, route } = exchange
  const named = limit ?? deniedPolicy ?? exchange.rule
  if (named !== undefined) return named
  if (violations.length > 0) return violations.join(',')
  switch (codeOf(outcome) as ErrorCode | typeof VALIDATION_FAILED) {
    case 'INSUFFICIENT_ROLES':
      return route?.roles.join(',')
    case 'LICENSE_REQUIRED':
    case 'LICENSE_EXPIRED':
    case 'LICENSE_UNAVAILABLE':
      return route?.license
    case 'EXECUTION_TIMEOUT':
      return 'executionTimeoutSeconds'
    case VALIDATION_FAILED:
      return fieldsOf(exchange, outcome)
    default:
      return undefined
  }
}

/** The fields of a refused head. Those of a body are left out: a client chooses their names. */
function fieldsOf({ step }: Exchange, outcome: Outcome): string | undefined {
  const isHead = step === 'admit' || step === 'route'
  if (!isHead || outcome.type !== 'validation_failed') return undefined
  return outcome.errors.map(({ field }) => field).join(',')
}
