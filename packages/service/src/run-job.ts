import { type AuditEmitter, type Outcome, type Trace, writeOutcome } from '@agentic-rest/profile'
import { eventTypes, openRecord } from './audit/request-record.ts'
import type { CallOptions } from './call/call.ts'
import { cancelOperationOf, type Durable } from './durable.ts'
import { isKept, orRolledBack, RolledBack } from './effect.ts'
import { checkInput } from './input/check-input.ts'
import type { CollectedInput } from './input/collect-input.ts'
import { type Log, withFields } from './log.ts'
import type { Operation } from './operation.ts'
import { refusal } from './refusals.ts'
import type { RunContext } from './run-context.ts'
import { makeContext } from './run-context.ts'
import type { Job, JobContext, JobRunner } from './runtime/contract.ts'
import type { Sql } from './runtime/store.ts'
import { storeProgress } from './stream/quiet-sink.ts'
import { giveUp, RawResponse } from './stream/raw.ts'
import { runToEnd } from './stream/run-to-end.ts'

/** The options of all jobs of a service. */
interface JobOptions {
  readonly emitter: AuditEmitter
  readonly log: Log
  readonly callOptions: CallOptions
  readonly durable: Pick<Durable, 'operations'>
}

/** Creates the job runner of an operation. Jobs store the raw inputs, so the schema parses them again. */
export function createJobRunner(operation: Operation, options: JobOptions): JobRunner {
  return async function runJob(job, jobContext) {
    const { correlationId, requestId } = job.trace
    const log = withFields(options.log, { operation: operation.id, correlationId, requestId })
    const checked = await checkInput(operation, job.input as CollectedInput)
    if (!checked.ok) return checked.outcome
    return runChecked({ operation, job, jobContext, input: checked.value, options: { ...options, log } })
  }
}

interface JobRun {
  readonly operation: Operation
  readonly job: Job
  readonly jobContext: JobContext
  readonly input: unknown
  readonly options: JobOptions
}

async function runChecked(run: JobRun): Promise<Outcome> {
  const { operation, job, options } = run
  const record = openRecord({
    ...options,
    operation: operation.id,
    tenant: job.scope.tenantId,
    actor: job.actor,
    subject: job.scope.requester || undefined,
    issuer: job.scope.issuer,
    trace: job.trace,
    resourceId: Object.values(job.params).at(-1) ?? '',
  })
  const outcome = writable(await runInBackground(run, record.audit), job.trace, options.log)
  record.write(eventTypes.finished, outcome)
  if (job.approvalId !== undefined && isKept(outcome)) {
    const attributes = { approval_id: job.approvalId, status: 'used' }
    record.audit.emit({ event_type: eventTypes.approvalUsed, outcome: outcome.type, attributes })
  }
  return outcome
}

/** The events of a run are its progress. */
async function runInBackground(run: JobRun, audit: RunContext['audit']): Promise<Outcome> {
  const { log } = run.options
  const sink = storeProgress(run.jobContext, (cause) => log.warn('an event could not be stored', { cause }))
  const result = await runToEnd(run.operation, jobRunContext(run, audit), sink)
  await sink.flush()
  if (result instanceof RawResponse) throw giveUp(result, 'raw cannot be the result of a background run')
  return result
}

function jobRunContext(run: JobRun, audit: RunContext['audit']): RunContext {
  const { operation, job, jobContext, input, options } = run
  const { scope, actor, roles, trace, params, idempotencyKey, approvalId } = job
  const context = makeContext({
    operation,
    params,
    input,
    tenant: scope.tenantId,
    actor,
    subject: scope.requester === '' ? undefined : scope.requester,
    issuer: scope.issuer,
    roles,
    trace,
    idempotencyKey,
    signal: jobContext.signal,
    log: options.log,
    audit,
    callOptions: options.callOptions,
    passedOn: {
      // Tokens are not stored with a job. Background calls use the identity of the service.
      authorization: undefined,
      traceparent: undefined,
      forwardedApproval: () => undefined,
      approvalWanted: () => undefined,
      via: job.via ?? [],
    },
  })
  return {
    ...context,
    operationId: jobContext.operationId,
    approval:
      approvalId === undefined
        ? undefined
        : { approvalId, decidedBy: job.approvedBy, decidedByIssuer: job.approvedByIssuer },
    acceptsStream: false,
    setHeader: () => undefined,
    commit: (work) => commitJob(run, work),
    progress: (value) => jobContext.progress(value),
    cancelOperation: cancelOperationOf(scope.tenantId, options.durable),
  }
}

/** Commits the effect only with a success. The result of the job is stored in any case. */
function commitJob<Result extends Outcome>(
  { job, jobContext }: JobRun,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return orRolledBack(async () => {
    const outcome = await jobContext.finish(async (sql) => {
      const result = await work(sql)
      if (!isKept(result)) throw new RolledBack(result)
      writeOutcome(result, job.trace)
      return result
    })
    return outcome as Result
  })
}

/** Replaces an outcome that cannot be encoded by an error. A retry would give the same. */
function writable(outcome: Outcome, trace: Trace, log: Log): Outcome {
  try {
    writeOutcome(outcome, trace)
    return outcome
  } catch (cause) {
    log.error('a run in the background gave an outcome that cannot be written', { cause })
    return refusal('INTERNAL_ERROR')
  }
}
