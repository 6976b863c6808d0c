/** A malformed request: there is no exchange for it. */
export interface MalformedRequest {
  readonly status: number
  /** The word for the fault. */
  readonly cause: string
  readonly clientAddress: string
}
