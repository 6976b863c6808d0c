import {
  conditions,
  headers,
  headerValue,
  isIdentifier,
  type JsonObject,
  mcpMeta,
} from '@agentic-rest/profile'
import { KEY_ARGUMENT } from '../catalogue/read-tool.ts'
import type { CatalogueTool, ToolDefinition } from '../catalogue/tool.ts'
import { invalidParams, rpcCodes } from '../protocol/json-rpc.ts'
import type {
  HostContext,
  Refusal,
  TaskAnswer,
  ToolAnswer,
  ToolCall,
  ToolHost,
} from '../protocol/tool-host.ts'
import { challengeOf } from '../resource-metadata.ts'
import type { RunOptions } from './call-requests.ts'
import { CallStates } from './call-state.ts'
import { type Answered, baseHeaders, correlationOf, readAnswer } from './inner-exchange.ts'
import { openTaskId, outcomeOf, taskOf } from './operation-task.ts'
import { resultOf, withoutTokens } from './outcome-result.ts'
import { ToolRun } from './tool-run.ts'

/** The options of the facade. */
export interface FacadeOptions extends Omit<RunOptions, 'states'> {
  /** All tools of the configuration that serves a request, in the order of the file. */
  tools(context: HostContext): readonly CatalogueTool[]
  /** Whether the caller may use a tool; others are not listed. */
  mayUse(tool: CatalogueTool, context: HostContext): boolean | Promise<boolean>
}

/** The tool that shows the status of an operation that a call did not wait for. */
export const OPERATION_TOOL = 'get-operation'
const HANDLE_ARGUMENT = 'operationHandle'

const operationTool: ToolDefinition = {
  name: OPERATION_TOOL,
  title: 'Status of an operation',
  description: 'How far an accepted operation is, and its result once it has ended.',
  inputSchema: {
    type: 'object',
    required: [HANDLE_ARGUMENT],
    additionalProperties: false,
    properties: {
      [HANDLE_ARGUMENT]: { type: 'string', description: 'The operationHandle of the accepted call.' },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
}

/** The tools as clients see them: those of the routes, and the one for operations if some can be looked at. */
export function listedTools(
  tools: readonly CatalogueTool[],
  canPoll: RunOptions['canPoll'],
): readonly ToolDefinition[] {
  const definitions = tools.map(({ definition }) => definition)
  const isTaken = definitions.some(({ name }) => name === OPERATION_TOOL)
  return isTaken || !tools.some((tool) => canPoll(tool)) ? definitions : [...definitions, operationTool]
}

/** Offers the routes of a gateway as tools: every call is a request through its pipeline. */
export function createFacade(options: FacadeOptions): ToolHost {
  const run: RunOptions = { ...options, states: new CallStates(options.seal, options.environment) }
  const operations = new Operations(options)
  return {
    async list(context) {
      const all = options.tools(context)
      const isUsable = await Promise.all(all.map((tool) => options.mayUse(tool, context)))
      return listedTools(
        all.filter((_tool, index) => isUsable[index]),
        options.canPoll,
      )
    },
    call: (call) => callTool(run, operations, call),
    tasks: {
      get: (taskId, context) => operations.get(taskId, context),
      // Services ask before they accept, so no task has an open question.
      update: async (taskId, _responses, context) => operations.acknowledge(taskId, context),
      cancel: (taskId, context) => operations.cancel(taskId, context),
    },
  }

  async function callTool(surroundings: RunOptions, known: Operations, call: ToolCall): Promise<ToolAnswer> {
    const tool = options.tools(call).find(({ definition }) => definition.name === call.name)
    if (tool === undefined) {
      if (call.name === OPERATION_TOOL) return known.show(call)
      return { type: 'refused', error: invalidParams(`Unknown tool: ${call.name.slice(0, 64)}`) }
    }
    const state = startOf(surroundings, tool, call)
    return 'type' in state ? state : new ToolRun(surroundings, tool, { call, state }).run()
  }
}

function startOf(run: RunOptions, tool: CatalogueTool, call: ToolCall) {
  if (call.requestState !== undefined) {
    const state = run.states.open(call, call.requestState)
    return state === undefined ? refused('Invalid requestState') : { ...state, round: state.round + 1 }
  }
  const key = chosenKey(tool, call) ?? run.environment.randomUUID()
  if (typeof key !== 'string' || !isIdentifier(key))
    return refused('The idempotency key has 1 to 256 printable ASCII characters')
  const correlationId = correlationOf(call.headers, run.environment)
  return { correlationId, key, round: 1, forms: 0, answers: [] }
}

/** The idempotency key that the caller chose, in the order of precedence; undefined if there is none. */
function chosenKey(
  { route }: CatalogueTool,
  { meta, headers: source, params, arguments: given }: ToolCall,
): unknown {
  return [
    meta[mcpMeta.idempotencyKey],
    headerValue(source, headers.idempotencyKey),
    params['idempotencyKey'],
    route.mcp.idempotencyArgument === true ? given[KEY_ARGUMENT] : undefined,
  ].find((key) => key !== undefined && key !== '')
}

function refused(message: string): Refusal {
  return { type: 'refused', error: invalidParams(message) }
}

const UNKNOWN_TASK = 'Unknown task'

/** Background operations as tasks. Nothing is stored: the id of a task is its sealed address. */
class Operations {
  readonly #options: FacadeOptions

  constructor(options: FacadeOptions) {
    this.#options = options
  }

  async get(taskId: string, context: HostContext): Promise<TaskAnswer> {
    const answered = await this.#status(taskId, context)
    if ('error' in answered) return answered
    return (
      refusalOf(answered, this.#options) ?? {
        type: 'task',
        task: taskOf(taskId, answered, context.client.version),
      }
    )
  }

  /** The status by the tool, for clients without tasks. */
  async show(call: ToolCall): Promise<ToolAnswer> {
    const handle = call.arguments[HANDLE_ARGUMENT]
    const answered =
      typeof handle === 'string' ? await this.#status(handle, call) : refused('Unknown operationHandle')
    if ('error' in answered) return refused('Unknown operationHandle')
    const { version } = call.client
    const added = { [HANDLE_ARGUMENT]: handle }
    const outcome = outcomeOf(answered)
    const result = outcome === undefined ? resultOf(answered, version, { added }) : resultOf(outcome, version)
    return { type: 'result', result }
  }

  acknowledge(taskId: string, { caller }: HostContext): TaskAnswer {
    const reference = openTaskId(this.#options.seal, taskId, caller)
    return reference === undefined ? refused(UNKNOWN_TASK) : { type: 'acknowledged' }
  }

  async cancel(taskId: string, context: HostContext): Promise<TaskAnswer> {
    const reference = openTaskId(this.#options.seal, taskId, context.caller)
    if (reference === undefined) return refused(UNKNOWN_TASK)
    const path = reference.statusPath.replace(/\/status(?=$|\?)/, '/cancel')
    // No address for the cancellation is known. MCP lets a server ignore it.
    if (path === reference.statusPath) return { type: 'acknowledged' }
    const answered = await this.#send('POST', path, context)
    // An operation that has ended stays as it is, and the cancellation is acknowledged all the same.
    if (answered.type === 'conflict') return { type: 'acknowledged' }
    return refusalOf(answered, this.#options) ?? { type: 'acknowledged' }
  }

  async #status(taskId: string, context: HostContext): Promise<Answered | Refusal> {
    const reference = openTaskId(this.#options.seal, taskId, context.caller)
    if (reference === undefined) return refused(UNKNOWN_TASK)
    return this.#send('GET', reference.statusPath, context)
  }

  async #send(method: string, path: string, context: HostContext): Promise<Answered> {
    const { environment, send } = this.#options
    const trace = {
      correlationId: correlationOf(context.headers, environment),
      requestId: environment.randomUUID(),
    }
    const { client, signal, source } = context
    const facts = { tool: OPERATION_TOOL, version: client.version, client: client.name, round: 1 }
    const request = {
      method,
      path,
      headers: baseHeaders(context, trace),
      body: undefined,
      signal,
      facts,
      source,
    }
    return readAnswer(await send(request), trace)
  }
}

/** The refusal for an operation that could not be read; undefined for one that was. */
function refusalOf(answered: Answered, { publicUrl }: FacadeOptions): TaskAnswer | undefined {
  const { status, type, body } = answered
  if (type === 'success') return undefined
  if (status === conditions.unauthenticated) {
    return {
      type: 'http',
      status,
      headers: { 'WWW-Authenticate': challengeOf(publicUrl) },
      body: JSON.stringify(body),
    }
  }
  if (status === conditions.not_found) return refused(UNKNOWN_TASK)
  const data: JsonObject = { status, body: withoutTokens(body) }
  return {
    type: 'refused',
    error: { code: rpcCodes.internalError, message: 'The status is not available', data },
  }
}
