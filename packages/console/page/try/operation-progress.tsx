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

interface ProgressProps {
  /** Undefined until the first poll is answered. */
  readonly status: OperationStatus | undefined
  /** The page no longer looks at the operation. */
  readonly isEnded: boolean
}

/** The progress of a background operation. */
export function OperationProgress({ status, isEnded }: ProgressProps) {
  const state = status?.status ?? 'working'
  const isOpen = state === 'working' || state === 'input_required'
  const fraction = state === 'completed' ? 1 : fractionOf(status?.progress)
  const words = progressWords(status?.progress)
  return (
    <article class="card" aria-label="Operation">
      <p class="answer-line">
        <b>{isOpen && isEnded ? `Last seen: ${stateWords[state]}` : stateWords[state]}</b>
        <span class="mono note">{status?.operationId}</span>
        <span class="spring" />
        {fraction !== undefined && <span class="note">{Math.round(fraction * 100)} %</span>}
      </p>
      {(state === 'completed' || (isOpen && !isEnded)) && (
        // Without a value the bar shows activity, but no fraction.
        <progress aria-label="Progress" max={1} {...(fraction !== undefined && { value: fraction })} />
      )}
      {words !== undefined && <p class="note">{words}</p>}
      {words === undefined && status?.progress !== undefined && (
        <JsonText label="Progress reported by the service" value={status.progress} />
      )}
    </article>
  )
}
