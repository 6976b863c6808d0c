import type { AuditEvent } from '@agentic-rest/profile'

// JSON escapes what is below U+0020; these three end a line too, for readers such as Python's splitlines.
const LINE_BREAKS = /[\u0085\u2028\u2029]/g

/** The record as one line of JSON, whatever is in it. */
export function auditLine(event: AuditEvent, requestBody: string | undefined): string {
  // Put together as text: a copy of the event for two more members would cost as much as writing it.
  const members = JSON.stringify(event).slice(1, -1)
  const body = requestBody === undefined ? '' : `,"request_body":${JSON.stringify(requestBody)}`
  const line = `{"level":"INFO","msg":"agentic.request",${members}${body}}`
  return `${line.replace(LINE_BREAKS, escapeBreak)}\n`
}

function escapeBreak(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
