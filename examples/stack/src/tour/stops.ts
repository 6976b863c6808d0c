import type { Stop } from './stop.ts'
import { joinedRecords } from './stops/audit.ts'
import { clarification, success, validation } from './stops/completions.ts'
import {
  agentApproval,
  agentFailure,
  agentQuestion,
  agents,
  directCaller,
  retriedAgents,
} from './stops/graph.ts'
import { noRoute, noToken, wrongTenant } from './stops/refusals.ts'
import { stream, tooManyStreams } from './stops/streams.ts'

/** The stops in their order. A new one is a file in `stops/`, or a part of one, and its name here. */
export const stops: readonly Stop[] = [
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
