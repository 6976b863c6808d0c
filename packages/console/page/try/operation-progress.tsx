import type { OperationStatus } from '@agentic-rest/client'
import { JsonText } from '../shell/json-text.tsx'
import { fractionOf, progressWords } from './operation-fraction.ts'

const stateWords: Readonly<Record<OperationStatus['status'], string>> = {
  working: 'Working',
  input_required: 'Waiting for input',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** The progress of a background operation. */
export function OperationProgress({ status }: { readonly status: OperationStatus }) {
  const fraction = status.status === 'completed' ? 1 : fractionOf(status.progress)
  const words = progressWords(status.progress)
  return (
    <article class="card" aria-label="Operation">
      <p class="answer-line">
        <b>{stateWords[status.status]}</b> <span class="mono note">{status.operationId}</span>
      </p>
      {status.status !== 'failed' && status.status !== 'cancelled' && (
        // Without a value the bar shows activity, but no fraction.
        <progress aria-label="Progress" max={1} {...(fraction !== undefined && { value: fraction })} />
      )}
      {words !== undefined && <p class="note">{words}</p>}
      {words === undefined && status.progress !== undefined && (
        <JsonText label="Progress reported by the service" value={status.progress} />
      )}
    </article>
  )
}
