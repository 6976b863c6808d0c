import type { Rule } from './rule.ts'
import { bodySchema } from './rules/body-schema.ts'
import { clarificationInputs } from './rules/clarification-inputs.ts'
import { clarificationNamesInput } from './rules/clarification-names-input.ts'
import { clarificationShape } from './rules/clarification-shape.ts'
import { correlationIdGenerated } from './rules/correlation-id-generated.ts'
import { deadlineBody } from './rules/deadline-body.ts'
import { deadlineTime } from './rules/deadline-time.ts'
import { errorType } from './rules/error-type.ts'
import { fixturesAgree } from './rules/fixtures-agree.ts'
import { foreignTenantRefused } from './rules/foreign-tenant-refused.ts'
import { forgedIdentityDropped } from './rules/forged-identity-dropped.ts'
import { hopCorrelation } from './rules/hop-correlation.ts'
import { hopKey } from './rules/hop-key.ts'
import { hopTenant } from './rules/hop-tenant.ts'
import { idHeadersAgree } from './rules/id-headers-agree.ts'
import { invalidTokenRefused } from './rules/invalid-token-refused.ts'
import { jsonBodies } from './rules/json-bodies.ts'
import { limitBody } from './rules/limit-body.ts'
import { limitPerTenant } from './rules/limit-per-tenant.ts'
import { limitRefused } from './rules/limit-refused.ts'
import { limitRetryAfter } from './rules/limit-retry-after.ts'
import { limitRetryAfterHeader } from './rules/limit-retry-after-header.ts'
import { limitReturned } from './rules/limit-returned.ts'
import { mediaTypeFixed } from './rules/media-type-fixed.ts'
import { metricsExposed } from './rules/metrics-exposed.ts'
import { metricsRequests } from './rules/metrics-requests.ts'
import { metricsTypes } from './rules/metrics-types.ts'
import { mismatchedUpstream } from './rules/mismatched-upstream.ts'
import { missingTokenRefused } from './rules/missing-token-refused.ts'
import { noAlias } from './rules/no-alias.ts'
import { packageDeclaration } from './rules/package-declaration.ts'
import { permissionAdmitted } from './rules/permission-admitted.ts'
import { profileHeader } from './rules/profile-header.ts'
import { propagatesApproval } from './rules/propagates-approval.ts'
import { propagatesClarification } from './rules/propagates-clarification.ts'
import { propagatesFailedDependency } from './rules/propagates-failed-dependency.ts'
import { requestIdGenerated } from './rules/request-id-generated.ts'
import { requestIdPerRequest } from './rules/request-id-per-request.ts'
import { retryAfterOnlyOnLimit } from './rules/retry-after-only-on-limit.ts'
import { retryMarked } from './rules/retry-marked.ts'
import { retryOneEffect } from './rules/retry-one-effect.ts'
import { retryOtherRequest } from './rules/retry-other-request.ts'
import { retrySameOutcome } from './rules/retry-same-outcome.ts'
import { rowAccepted } from './rules/row-accepted.ts'
import { rowApprovalRequired } from './rules/row-approval-required.ts'
import { rowClarificationRequired } from './rules/row-clarification-required.ts'
import { rowConflict } from './rules/row-conflict.ts'
import { rowCreated } from './rules/row-created.ts'
import { rowError } from './rules/row-error.ts'
import { rowFailedDependency } from './rules/row-failed-dependency.ts'
import { rowForbidden } from './rules/row-forbidden.ts'
import { rowSuccess } from './rules/row-success.ts'
import { rowValidationFailed } from './rules/row-validation-failed.ts'
import { sentIdKept } from './rules/sent-id-kept.ts'
import { statusUrlAnswers } from './rules/status-url-answers.ts'
import { statusUrlPath } from './rules/status-url-path.ts'
import { streamCacheControl } from './rules/stream-cache-control.ts'
import { streamContentType } from './rules/stream-content-type.ts'
import { streamFlushed } from './rules/stream-flushed.ts'
import { streamNeedsAccept } from './rules/stream-needs-accept.ts'
import { streamProfileHeader } from './rules/stream-profile-header.ts'
import { traceCorrelationId } from './rules/trace-correlation-id.ts'
import { tracePresent } from './rules/trace-present.ts'
import { traceRequestId } from './rules/trace-request-id.ts'
import { tracelessUpstream } from './rules/traceless-upstream.ts'
import { unreachableUpstream } from './rules/unreachable-upstream.ts'

/** Every rule, in the order of the report. A new rule is a file in `rules/` and a name here. */
export const rules: readonly Rule[] = [
  rowSuccess,
  rowCreated,
  rowAccepted,
  rowClarificationRequired,
  rowValidationFailed,
  rowApprovalRequired,
  rowForbidden,
  rowConflict,
  rowFailedDependency,
  rowError,
  mediaTypeFixed,
  noAlias,
  jsonBodies,
  tracePresent,
  traceCorrelationId,
  traceRequestId,
  idHeadersAgree,
  correlationIdGenerated,
  requestIdGenerated,
  requestIdPerRequest,
  sentIdKept,
  tracelessUpstream,
  mismatchedUpstream,
  unreachableUpstream,
  profileHeader,
  clarificationShape,
  clarificationInputs,
  clarificationNamesInput,
  bodySchema,
  errorType,
  retryAfterOnlyOnLimit,
  statusUrlPath,
  statusUrlAnswers,
  streamContentType,
  streamProfileHeader,
  streamCacheControl,
  streamFlushed,
  streamNeedsAccept,
  limitRefused,
  limitBody,
  limitRetryAfter,
  limitRetryAfterHeader,
  limitPerTenant,
  limitReturned,
  deadlineBody,
  deadlineTime,
  propagatesFailedDependency,
  propagatesClarification,
  propagatesApproval,
  retrySameOutcome,
  retryOneEffect,
  retryMarked,
  retryOtherRequest,
  hopKey,
  hopTenant,
  hopCorrelation,
  missingTokenRefused,
  invalidTokenRefused,
  foreignTenantRefused,
  permissionAdmitted,
  forgedIdentityDropped,
  metricsExposed,
  metricsRequests,
  metricsTypes,
  packageDeclaration,
  fixturesAgree,
]
