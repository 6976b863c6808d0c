import type { Trace } from '@agentic-rest/profile'
import { type CallOptions, type CallScope, createCall } from './call/call.ts'
import { propagate } from './call/propagate.ts'
import type { Log } from './log.ts'
import type { Operation } from './operation.ts'
import type { RequestAudit, RequestContext } from './run-context.ts'

/** What a context is made of. */
export interface ContextSource
  extends Pick<
    RequestContext,
    'params' | 'input' | 'tenant' | 'actor' | 'subject' | 'roles' | 'idempotencyKey' | 'signal'
  > {
  readonly operation: Operation
  readonly trace: Trace
  readonly log: Log
  readonly audit: RequestAudit
  readonly callOptions: CallOptions
  /** What calls pass on beside tenant, key and correlation id. */
  readonly passedOn: Pick<CallScope, 'authorization' | 'traceparent' | 'forwardedApproval' | 'approvalWanted'>
}

/** The context of one run, whether a caller waits for it or not. */
export function makeContext({ operation, callOptions, passedOn, ...own }: ContextSource): RequestContext {
  const { tenant, trace, idempotencyKey, signal, log } = own
  const scope = { operation: operation.id, tenant, trace, idempotencyKey, signal, log, ...passedOn }
  const ownInputs = { locationOf: (name: string) => operation.fields.get(name)?.location }
  return {
    ...own,
    call: createCall(callOptions, scope),
    propagate: (inner, options) => propagate(inner, options, ownInputs),
  }
}
