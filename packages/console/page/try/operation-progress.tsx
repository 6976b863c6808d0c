import type { OperationStatus } from '@agentic-rest/client'
import { fieldsOf, numberOrNull, textOrNull } from '../api/read-json.ts'
import { JsonText } from '../shell/json-text.tsx'

const stateWords: Readonly<Record<OperationStatus['status'], string>> = {
  working: 'Working',
  input_required: 'Waiting for input',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** How far work in the background is. */
export function OperationProgress({ status }: { readonly status: OperationStatus }) {
  const fraction = status.status === 'completed' ? 1 : fractionOf(status.progress)
  const words = wordsOf(status.progress)
  return (
    <article class="card" aria-label="Operation">
      <p class="answer-line">
        <b>{stateWords[status.status]}</b> <span class="mono note">{status.operationId}</span>
      </p>
      {/* Without a value the bar shows that something goes on, and not how far it is. */}
      <progress aria-label="Progress" max={1} {...(fraction !== undefined && { value: fraction })} />
      {words !== undefined && <p class="note">{words}</p>}
      {words === undefined && status.progress !== undefined && (
        <JsonText label="Progress as the service tells it" value={status.progress} />
      )}
    </article>
  )
}

/** The done part of a progress in any of the common forms; services put it in their own words. */
export function fractionOf(progress: unknown): number | undefined {
  if (typeof progress === 'number') return clamp(progress > 1 ? progress / 100 : progress)
  const fields = fieldsOf(progress)
  const named = numberOrNull(fields, 'fraction') ?? percentIn(fields)
  if (named !== null) return clamp(named)
  const done = firstNumber(fields, ['done', 'completed', 'step', 'current'])
  const all = firstNumber(fields, ['of', 'total', 'steps'])
  return done === undefined || !all ? undefined : clamp(done / all)
}

function percentIn(fields: ReadonlyMap<string, unknown>): number | null {
  const percent = numberOrNull(fields, 'percent') ?? numberOrNull(fields, 'percentage')
  return percent === null ? null : percent / 100
}

function firstNumber(fields: ReadonlyMap<string, unknown>, names: readonly string[]): number | undefined {
  return names.map((name) => numberOrNull(fields, name)).find((value) => value !== null) ?? undefined
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function wordsOf(progress: unknown): string | undefined {
  if (typeof progress === 'string') return progress
  const fields = fieldsOf(progress)
  const named = ['message', 'stage', 'phase', 'note', 'step'].map((name) => textOrNull(fields, name))
  return named.find((text) => text !== null) ?? undefined
}
