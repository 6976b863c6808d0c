export { type AcceptOptions, acceptsType } from './accept.ts'
export { type AuditEmitter, type AuditEvent, noopAuditEmitter } from './audit.ts'
export type {
  ApprovalRequiredBody,
  BodyByType,
  BodyOf,
  ClarificationBody,
  ConflictBody,
  GenericErrorBody,
  OperationBody,
  ValidationErrorBody,
} from './bodies.ts'
export { byName, canonicalJson } from './canonical-json.ts'
export {
  createEventParser,
  EVENT_STREAM_TYPE,
  type EventParser,
  MAX_EVENT_LENGTH,
  type StreamEvent,
  type WritableEvent,
  writeEvent,
} from './event-stream.ts'
export { type HeaderName, type HeaderSource, headerKeys, headers, headerValue } from './headers.ts'
export { elementsOf, isObject, type JsonObject, membersOf } from './json-value.ts'
export {
  type LastFrame,
  lastFrameNames,
  type OutcomeFrameOptions,
  readLastFrame,
  withOutcomeLimit,
  writeErrorFrame,
  writeOutcomeFrame,
} from './last-frame.ts'
export { mcpMeta } from './mcp-meta.ts'
export { isJsonType, isVendorType, type MediaType, mediaTypeEssence, parseMediaType } from './media-type.ts'
export { METRIC_TEXT_TYPE, type MetricSeries, type MetricText, metricText } from './metric-text.ts'
export { openApiComponents, openApiDocument } from './openapi-components.ts'
export {
  type Accepted,
  type ApprovalRequired,
  type ClarificationRequired,
  type Conflict,
  type Created,
  type ErrorOutcome,
  type FailedDependency,
  type FieldError,
  type Forbidden,
  type InputLocation,
  type InputType,
  inputLocations,
  inputTypes,
  type NonEmpty,
  type Outcome,
  type RequiredInput,
  type Success,
  type ValidationFailed,
} from './outcome.ts'
export {
  type Condition,
  conditionOf,
  conditions,
  malformedStatuses,
  type OutcomeType,
  outcomes,
  outcomeTypeOf,
  outcomeTypes,
  PROFILE_VERSION,
  type ProfileVersion,
  profileVersions,
  type SchemaName,
  VENDOR_PREFIX,
} from './outcomes.ts'
export {
  isJson,
  type JsonFault,
  type JsonOptions,
  type JsonReading,
  MAX_JSON_DEPTH,
  MAX_MESSAGE_DEPTH,
  parseJson,
  parseOwnJson,
} from './parse-json.ts'
export { fillTemplate, templateParameters, templateShape } from './path-template.ts'
export { printable, printableText } from './printable.ts'
export {
  type AnswerParts,
  outcomeViolations,
  type PlainAnswer,
  type Reading,
  readOutcome,
  type Violation,
} from './read-outcome.ts'
export { atFragment, followReferences, isReference, pointerStep } from './references.ts'
export { readClaim } from './token-claims.ts'
export {
  compareTrace,
  isBareTrace,
  isIdentifier,
  isTrace,
  type RequestTrace,
  readTrace,
  type Trace,
} from './trace.ts'
export { patternsOf, wholeSchema, withPatterns } from './whole-schema.ts'
export { statusOf, type WrittenOutcome, writeOutcome } from './write-outcome.ts'
