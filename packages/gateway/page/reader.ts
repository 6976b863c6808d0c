import { parseJson } from '@agentic-rest/profile'
import type { Approval } from './approval.ts'

/** The person that a token names, for what the page shows. It proves nothing: the service decides who may decide. */
export interface Reader {
  readonly subject: string
  readonly issuer: string
}

/** Reads the claims of a JWT; `undefined` for another token. */
export function readerOf(token: string): Reader | undefined {
  const payload = token.split('.')[1] ?? ''
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    const { sub, iss } = Object(parseJson(new TextDecoder().decode(bytes)).value)
    return typeof sub === 'string' ? { subject: sub, issuer: String(iss ?? '') } : undefined
  } catch {
    return undefined
  }
}

/** Why the reader cannot decide a pending approval; empty if the reader may try, or is not known. */
export function whyNotDecide(approval: Approval, reader: Reader | undefined): string {
  if (reader === undefined) return ''
  const isReader = (name: unknown, issuer: unknown) =>
    name === reader.subject && (issuer === '' || issuer === undefined || issuer === reader.issuer)
  if (approval.decisions.some(({ decidedBy, decidedByIssuer }) => isReader(decidedBy, decidedByIssuer)))
    return 'You have decided it. Others have to decide too.'
  const isRequester = isReader(approval.requester, approval.requesterIssuer)
  const isBehind = isReader(approval.requestedFor, approval.requestedForIssuer)
  if (approval.isConfirmation) {
    const isConfirmer = approval.requestedFor === '' ? isRequester : isBehind
    return isConfirmer ? '' : 'Only the person who asked confirms it.'
  }
  const who = approval.role === '' ? 'Somebody else' : `Somebody else with the role ${approval.role}`
  if (isRequester) return `You are the requester. ${who} decides it.`
  return isBehind ? `An agent asked for it on your behalf. ${who} decides it.` : ''
}
