import {
  headers,
  headerValue,
  isObject,
  type JsonObject,
  mcpMeta,
  PROFILE_VERSION,
  parseOwnJson,
} from '@agentic-rest/profile'
import type { ToolResult } from '../protocol/tool-host.ts'
import { MODERN_VERSION, type ProtocolVersion } from '../protocol/versions.ts'
import { type Answered, retryAfterOf } from './inner-exchange.ts'

/** The answer of a person or client that ended a call. */
export type Ending = 'declined' | 'cancelled'

/** Further facts of a result. */
export interface ResultExtras {
  /** Members added to the body. */
  readonly added?: JsonObject
  readonly answered?: Ending
}

const successTypes = new Set(['success', 'created', 'accepted'])

/** The result of an outcome: the body as one text and as a value, the type in `_meta`. */
export function resultOf(
  answered: Answered,
  version: ProtocolVersion,
  extras: ResultExtras = {},
): ToolResult {
  const isSuccess = successTypes.has(answered.type)
  const body = withoutTokens(isObject(answered.body) ? { ...answered.body, ...extras.added } : answered.body)
  return {
    content: [{ type: 'text', text: textOf(body, answered) }],
    ...(body !== undefined && typeof body !== 'string' && { structuredContent: structured(body, version) }),
    ...(!isSuccess && { isError: true as const }),
    _meta: { [mcpMeta.outcome]: describe(answered, extras) },
  }
}

/** The members of `_meta` that keep what MCP has no place for. */
function describe(
  { type, status, headers: source, trace }: Answered,
  { answered }: ResultExtras,
): JsonObject {
  const replayed = headerValue(source, headers.idempotencyReplayed)
  const retryAfter = retryAfterOf(source)
  return {
    type,
    status,
    profile: headerValue(source, headers.profile) ?? PROFILE_VERSION,
    trace,
    ...(replayed !== undefined && { replayed: replayed === 'true' }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(answered !== undefined && { answered }),
  }
}

function textOf(body: unknown, { type }: Answered): string {
  if (typeof body === 'string') return body
  // An empty answer is never an error for clients that look for text.
  return JSON.stringify(body ?? { type: successTypes.has(type) ? 'success' : type })
}

/** On the wires of 2025 `structuredContent` has to be an object; Claude Code refuses everything else. */
function structured(body: unknown, version: ProtocolVersion): unknown {
  return version === MODERN_VERSION || isObject(body) ? body : { result: body }
}

const TOKEN = 'approvalToken'

/** A copy of a value without approval tokens, at any depth. Clients and models must not see them. */
export function withoutTokens(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!JSON.stringify(value).includes(`"${TOKEN}"`)) return value
  return parseOwnJson(JSON.stringify(value, (key, inner: unknown) => (key === TOKEN ? undefined : inner)))
}
