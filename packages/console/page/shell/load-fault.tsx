import { Notice } from './notice.tsx'

interface FaultProps {
  readonly message: string
  onRetry(): void
}

/** A failed load, with automatic retries and a button to retry at once. */
export function LoadFault({ message, onRetry }: FaultProps) {
  return (
    <Notice kind="fault" title={message}>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  )
}
