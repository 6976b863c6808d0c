import type { ApprovalRequired } from '@agentic-rest/profile'
import type { AnsweredAs } from './answer.ts'
import type { OperationStatus } from './operation-status.ts'
import type { Answers } from './place-answers.ts'
import type { EventHandler } from './run-stream.ts'

/** A pending approval. */
export interface PendingApproval {
  readonly message: string
  readonly approvalToken: string
  readonly approver: ApprovalRequired['approver'] | undefined
  /** The address of the approval, if it is at the origin of the client. */
  readonly location: string | undefined
}

/** The options of `run`. An outcome without a handler is the result. */
export interface RunOptions {
  /**
   * Returns the requested inputs by name, or nothing to stop with the clarification as the result. Other inputs are not
   * sent.
   */
  readonly onClarification?:
    | ((
        clarification: AnsweredAs<'clarification_required'>,
      ) => Answers | undefined | Promise<Answers | undefined>)
    | undefined
  /**
   * Returns true to wait: after the decision the request is sent again. Returns false to stop with `approval_required` as
   * the result. It may take long, for example until a person answers. `'wait'` waits for every approval.
   */
  readonly onApproval?: 'wait' | ((approval: PendingApproval) => boolean | Promise<boolean>) | undefined
  /**
   * The total time to wait for decisions. With `onApproval: 'wait'` it is 10 minutes by default; with a handler the waits
   * are part of `maxWaitMs` unless it is set.
   */
  readonly approvalWaitMs?: number | undefined
  /** Called with every status of a background operation. */
  readonly onProgress?: ((status: OperationStatus) => void) | undefined
  /**
   * Asks for a stream and gets each event but the last frame, whose outcome is the result. An operation that cannot stream is
   * answered as without it. A stream without a last frame is a `TransportError` with the code `STREAM_FAILED`.
   */
  readonly onEvent?: EventHandler | undefined
  /** The maximum number of handler calls and restarted operations; 10 by default. */
  readonly maxRounds?: number | undefined
  /** The number of retries after a transport failure; 3 by default. */
  readonly maxRetries?: number | undefined
  /**
   * Whether a request with an effect is retried after a transport failure. True means that the operation supports keys.
   * By default only requests with an `idempotencyKey` of the caller are retried.
   */
  readonly retryUnsafe?: boolean | undefined
  /** The total waiting time, without handlers; 10 minutes by default. */
  readonly maxWaitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}
