/**
 * Why a store failed, in one word that may be shown: a code of the system or of Redis. Messages are not taken, they name
 * hosts and ports.
 */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN'
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  return /^[A-Z]{2,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}
