/** The errors of one side for bytes that are no message. */
export interface MessageFaults {
  /** A control character, or half of a line end. */
  control(isFirstLine: boolean): Error
  /** A head or trailers beyond their limit. */
  tooLarge(isFirstLine: boolean): Error
  /** A header line without a name, or with one that is none. */
  field(): Error
  length(): Error
  coding(): Error
  chunkSize(): Error
  /** Bytes behind a chunk that are no line end. */
  chunkEnd(): Error
  extensionsTooLarge(): Error
}

/** The limits of a head, read anew for each one. */
export interface HeadLimits {
  readonly maxHeadBytes: number
  readonly maxHeaders: number
}
