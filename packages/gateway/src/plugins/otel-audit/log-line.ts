import type { AuditEvent } from '@agentic-rest/profile'

// JSON escapes what is below U+0020; these three end a line too, for readers such as Python's splitlines.
const LINE_BREAKS = /[\u0085\u2028\u2029]/g

/** The record as one line of JSON, whatever is in it. */
export function auditLine(event: AuditEvent, requestBody: string | undefined): string {
  const line = JSON.stringify({ level: 'INFO', msg: 'agentic.request', ...event, request_body: requestBody })
  return `${line.replace(LINE_BREAKS, escapeBreak)}\n`
}

function escapeBreak(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
