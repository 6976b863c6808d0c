import type { ApprovalRequired } from '@agentic-rest/profile'
import type { AnsweredAs } from './answer.ts'
import type { OperationStatus } from './operation-status.ts'
import type { Answers } from './place-answers.ts'

/** An approval that a request waits for. */
export interface PendingApproval {
  readonly message: string
  readonly approvalToken: string
  readonly approver: ApprovalRequired['approver'] | undefined
  /** Where the approval can be seen and decided; only when it is at the client's own origin. */
  readonly location: string | undefined
}

/** How a request is carried to its end. Without a handler its outcome is the result. */
export interface RunOptions {
  /**
   * Gives the inputs that are asked for, by name; nothing to stop with the clarification as the result. It may give
   * more than was asked for, which is not sent.
   */
  readonly onClarification?:
    | ((
        clarification: AnsweredAs<'clarification_required'>,
      ) => Answers | undefined | Promise<Answers | undefined>)
    | undefined
  /**
   * True to go on: once somebody has decided, the request is sent again. False to stop with `approval_required`
   * as the result. It may take its time, for example until a person has answered.
   */
  readonly onApproval?: ((approval: PendingApproval) => boolean | Promise<boolean>) | undefined
  /** Told of every status of a background operation. */
  readonly onProgress?: ((status: OperationStatus) => void) | undefined
  /** How often the handlers are asked, and operations begun anew; 10 when absent. */
  readonly maxRounds?: number | undefined
  /** How often a request is sent again after the transport failed; 3 when absent. */
  readonly maxRetries?: number | undefined
  /**
   * Whether a request that can have an effect is sent again after the transport failed. True says that the operation
   * honours keys. When absent, only a request that has an `idempotencyKey` of the caller's is.
   */
  readonly retryUnsafe?: boolean | undefined
  /** How long all waits may take together, handlers aside; 10 minutes when absent. */
  readonly maxWaitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}
