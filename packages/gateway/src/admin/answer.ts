import { conditions, headers as headerNames, outcomes } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange } from '../exchange.ts'
import { type OwnAnswer, sendWhole } from '../line/own-answer.ts'

/** An answer of the admin listener. */
export type AdminAnswer = OwnAnswer

/** An answer in JSON. `Body` names the body of the API that the value has to be. */
export function jsonAnswer<Body>(value: NoInfer<Body>): AdminAnswer {
  return {
    status: outcomes.success.status,
    headers: { [headerNames.contentType]: outcomes.success.mediaType },
    body: Buffer.from(JSON.stringify(value)),
  }
}

const faults = {
  UNAUTHENTICATED: conditions.unauthenticated,
  FORBIDDEN: outcomes.forbidden.status,
  FOREIGN_HOST: outcomes.forbidden.status,
  FOREIGN_ORIGIN: outcomes.forbidden.status,
  NOT_FOUND: conditions.not_found,
  METHOD_NOT_ALLOWED: conditions.method_not_allowed,
  TOO_LARGE: conditions.too_large,
  INVALID: outcomes.validation_failed.status,
  TOO_MANY: conditions.limit_exceeded,
  UNAVAILABLE: conditions.unavailable,
  FAILED: outcomes.error.status,
} as const

/** The error codes of the admin listener. Its answers are plain JSON, not outcomes of the profile. */
export type FaultCode = keyof typeof faults

/** Every code, for the description of the API. */
export const faultCodes = Object.keys(faults) as readonly FaultCode[]

/** A refusal: a code and a sentence without details of the gateway. */
export function faultAnswer(
  code: FaultCode,
  message: string,
  headers: AdminAnswer['headers'] = {},
): AdminAnswer {
  const { headers: type, body } = jsonAnswer<AdminBody<'Fault'>>({ code, message })
  return { status: faults[code], headers: { ...type, ...headers }, ...(body && { body }) }
}

/** The headers of every answer, refusals included: none describes the gateway. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** Sends an answer with the common headers; its own headers override them. */
export function sendAnswer(exchange: Exchange, answer: AdminAnswer): void {
  sendWhole(exchange, { ...answer, headers: { ...commonHeaders, ...answer.headers } })
}
