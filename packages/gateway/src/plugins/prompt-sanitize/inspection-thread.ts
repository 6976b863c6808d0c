import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { SanitizeRule } from '../../config/config-schema.ts'
import type { BodyKind } from './body-kind.ts'
import { compileRules } from './compile-rules.ts'
import { describeFailure, type InspectionFailure } from './inspection-failure.ts'
import { createViewReader } from './readable-view.ts'
import { createTextRedactor, type Redactions, RedactionTally } from './redact-text.ts'
import { type SanitizedBody, sanitizeCounted } from './sanitize-body.ts'

/** A body for the thread; its bytes are transferred. */
export interface InspectionJob {
  readonly bytes: ArrayBuffer
  readonly kind: BodyKind
}

/** The answer of the thread; new bytes are transferred. */
export type InspectionAnswer =
  | Exclude<SanitizedBody, { type: 'changed' }>
  | { readonly type: 'changed'; readonly bytes: ArrayBuffer; readonly redactions?: Redactions }
  | { readonly type: 'failed'; readonly failure: InspectionFailure }

/** A third of the processor time of the event loop, when both want all of it. */
const PRIORITY = 5

// The event loop gets the processor first. On Linux this concerns the calling thread, elsewhere the whole process.
if (process.platform === 'linux') setPriority(PRIORITY)

// This file is the program of a thread: it compiles the rules once and answers one job after the other.
const read = createViewReader()
const tally = new RedactionTally()
const redact = createTextRedactor(compileRules(workerData as readonly SanitizeRule[], read), read, tally)

parentPort?.on('message', ({ bytes, kind }: InspectionJob) => {
  const answer = inspect(Buffer.from(bytes), kind)
  parentPort?.postMessage(answer, answer.type === 'changed' ? [answer.bytes] : [])
})

function inspect(bytes: Buffer, kind: BodyKind): InspectionAnswer {
  try {
    const result = sanitizeCounted(bytes, kind, { redact, tally })
    return result.type === 'changed' ? { ...result, bytes: ownBuffer(result.bytes) } : result
  } catch (error) {
    return { type: 'failed', failure: describeFailure(error) }
  }
}

/** A small buffer is a part of Node's pool, which cannot be transferred. */
function ownBuffer({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return buffer
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}
