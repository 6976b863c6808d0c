import type { Stop } from './guide.ts'
import { approval } from './stops/approvals.ts'
import { joinedRecords } from './stops/audit.ts'
import {
  deadline,
  error,
  failedDependency,
  missingGoal,
  notPermitted,
  optimization,
  otherTenant,
  wrongGoal,
} from './stops/campaigns.ts'
import { clarification, success, validation } from './stops/completions.ts'
import {
  agentApproval,
  agentFailure,
  agentQuestion,
  agents,
  directCaller,
  retriedAgents,
} from './stops/graph.ts'
import { cancelled, inBackground } from './stops/operations.ts'
import { noRoute, noToken, wrongTenant } from './stops/refusals.ts'
import { stream, tooManyStreams } from './stops/streams.ts'

/** The stops in order. A new stop is an export of a file in `stops/` and a name here. */
export const stops: readonly Stop[] = [
  optimization,
  missingGoal,
  wrongGoal,
  inBackground,
  cancelled,
  approval,
  notPermitted,
  otherTenant,
  failedDependency,
  error,
  deadline,
  success,
  clarification,
  validation,
  noToken,
  wrongTenant,
  noRoute,
  stream,
  tooManyStreams,
  agents,
  agentQuestion,
  agentFailure,
  agentApproval,
  retriedAgents,
  directCaller,
  joinedRecords,
]
