import { headers, outcomes, readOutcome } from '@agentic-rest/profile'
import type { WireAnswer } from '../caller.ts'
import type { PlannedRequest } from './planned-request.ts'

/** The outcome and its code, or what is wrong with the answer. */
export function labelOf({ id, kind }: PlannedRequest, answer: WireAnswer): string {
  if (answer.headers[headers.requestId.toLowerCase()] !== id) return 'invalid: the answer of another request'
  if (answer.headers['content-type']?.startsWith('text/event-stream')) return streamLabel(kind, answer)
  const reading = readOutcome(answer)
  if (!reading.ok) return `invalid: ${answer.status} ${reading.violations[0]?.rule ?? 'no outcome'}`
  const { outcome, trace } = reading
  if (trace?.requestId !== id) return 'invalid: the trace of another request'
  if (outcome.type === 'success' && (outcome.body as { id?: string }).id !== id)
    return 'invalid: the body of another request'
  return 'code' in outcome && outcome.code !== undefined ? `${outcome.type} ${outcome.code}` : outcome.type
}

/** A stream is whole, or its last frame says why it is not. */
function streamLabel(kind: PlannedRequest['kind'], { status, body }: WireAnswer): string {
  if (kind !== 'events' || status !== outcomes.success.status)
    return 'invalid: a stream that nobody asked for'
  if (body.endsWith('data: [DONE]\n\n')) return 'stream'
  const [, code] = /\nevent: error\ndata: \{"type":"\w+","code":"(\w+)".*\}\n\n$/.exec(`\n${body}`) ?? []
  return code === undefined ? 'invalid: a stream without an end' : `stream ${code}`
}
