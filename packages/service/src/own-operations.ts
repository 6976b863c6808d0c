import { headers, type Outcome, parseOwnJson, type Trace, writeOutcome } from '@agentic-rest/profile'
import type { Durable } from './durable.ts'
import { createdLocation, success } from './make-outcome.ts'
import { ownIds } from './openapi/links.ts'
import { defineOperation, type Operation } from './operation.ts'
import { refusal } from './refusals.ts'
import type { RunContext } from './run-context.ts'
import type { OperationState, OperationStatus } from './runtime/contract.ts'

// The pause of a caller between two polls.
const RETRY_AFTER_SECONDS = 1

const finalStates: ReadonlySet<OperationState> = new Set<OperationState>(['completed', 'failed', 'cancelled'])

/** The options of the built-in operations. */
export interface OwnOptions {
  readonly durable: Durable
  readonly publicPath: string
  /** The roles that see and cancel every operation of their tenant. */
  readonly operationRoles: readonly string[]
}

/**
 * The operations to poll and cancel background work (decision 10). Work of other tenants is not found, and neither is work
 * of other callers, except with one of `operationRoles` (decision 38).
 */
export function backgroundOperations({
  durable,
  publicPath,
  operationRoles,
}: OwnOptions): readonly Operation[] {
  async function find({ params, tenant, subject = '', issuer, roles }: OperationContext) {
    const owner = roles.some((role) => operationRoles.includes(role)) ? undefined : { subject, issuer }
    return (await durable.operations()).status(tenant, params.operationId, owner)
  }
  async function showStatus(context: OperationContext): Promise<Outcome> {
    const { trace, setHeader } = context
    const status = await find(context)
    if (status === undefined) return refusal('NOT_FOUND')
    if (!finalStates.has(status.status)) setHeader(headers.retryAfter, String(RETRY_AFTER_SECONDS))
    const location = status.outcome && createdLocation(status.outcome, publicPath)
    if (location !== undefined) setHeader('Location', location)
    return success(statusBody(status, trace, publicPath))
  }
  return [
    defineOperation({
      id: ownIds.status,
      method: 'GET',
      path: '/operations/{operationId}/status',
      summary: 'How far an operation in the background is.',
      outcomes: ['success'],
      run: showStatus,
    }),
    defineOperation({
      id: ownIds.cancel,
      method: 'POST',
      path: '/operations/{operationId}/cancel',
      summary: 'Cancels an operation that has not ended.',
      outcomes: ['success', 'conflict'],
      async run(context) {
        const { operationId } = context.params
        // An owner never changes, so nothing can happen between the two statements.
        if ((await find(context)) === undefined) return refusal('NOT_FOUND')
        const result = await (await durable.operations()).cancel(context.tenant, operationId)
        if (result === 'unknown') return refusal('NOT_FOUND')
        if (result === 'final') return { ...refusal('OPERATION_FINAL'), conflictingResourceId: operationId }
        return showStatus(context)
      },
    }),
  ]
}

type OperationContext = RunContext<undefined, { readonly operationId: string }>

function statusBody(status: OperationStatus, trace: Trace, publicPath: string) {
  const { operationId, createdAt, updatedAt, progress, outcome } = status
  return {
    operationId,
    status: status.status,
    statusUrl: `${publicPath}/operations/${operationId}/status`,
    createdAt,
    updatedAt,
    ...(progress !== undefined && { progress }),
    // The profile's encoder writes the result, so that it equals the body of a direct answer.
    ...(outcome && { outcome: outcome.type, result: parseOwnJson(writeOutcome(outcome, trace).body) }),
  }
}
