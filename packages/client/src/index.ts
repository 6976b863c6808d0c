export type {
  JsonFault,
  JsonOptions,
  JsonReading,
  Outcome,
  OutcomeType,
  RequiredInput,
  StreamEvent,
  Trace,
  Violation,
} from '@agentic-rest/profile'
export { parseJson, parseOwnJson } from '@agentic-rest/profile'
export type { Answer, Answered, AnsweredAs } from './answer.ts'
export type { ClientRequest, QueryValue, RequestSettings, TextValue } from './client-request.ts'
export type { Clock } from './clock.ts'
export { type Client, createClient, type TypedClient } from './create-client.ts'
export {
  type ProfileViolationCode,
  ProfileViolationError,
  StreamError,
  type StreamErrorCode,
  TransportError,
  type TransportErrorCode,
} from './errors.ts'
export type { TypedOutcome, TypedRequest, TypedRunRequest } from './openapi-paths.ts'
export { type OperationState, type OperationStatus, operationStates } from './operation-status.ts'
export type { Answers } from './place-answers.ts'
export type { ProfileDemand, ProfileVersionText } from './profile-demand.ts'
export type { PendingApproval, RunOptions } from './run-options.ts'
export type { EventHandler } from './run-stream.ts'
export type { ClientOptions, Fetch, TokenSource } from './settings.ts'
export { readOutcomeFrame, type StreamOptions } from './stream.ts'
