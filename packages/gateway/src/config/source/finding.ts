import type { FaultKind, Path } from '../faults.ts'

/** A fault while its place is still an offset in the text. */
export interface Finding {
  readonly offset: number
  /** Where the offending text ends; what a syntax fault makes unreadable starts behind it. */
  readonly end: number
  readonly path: Path
  readonly message: string
  readonly kind?: FaultKind
  /** The fault is that something is absent, which cannot be known of a file with a syntax fault. */
  readonly absence?: boolean
}
