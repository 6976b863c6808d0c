import { familyOf, outcomeWords, statusOfOutcome } from './outcome-family.ts'

interface BadgeProps {
  readonly outcome: string
  readonly status?: number | undefined
}

/** An outcome with its status, in the colour of its family. The colour adds no information to the text. */
export function OutcomeBadge({ outcome, status = statusOfOutcome(outcome) }: BadgeProps) {
  return (
    <span class={`badge ${familyOf(outcome)}`}>
      {status !== undefined && status > 0 && <b>{status}</b>} {outcomeWords(outcome) || 'no outcome'}
    </span>
  )
}
