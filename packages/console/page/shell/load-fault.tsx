import { Notice } from './notice.tsx'

interface FaultProps {
  readonly message: string
  onRetry(): void
}

/** Something could not be read. It is tried again by itself, and at once for whoever does not want to wait. */
export function LoadFault({ message, onRetry }: FaultProps) {
  return (
    <Notice kind="fault" title={message}>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  )
}
