import {
  conditions,
  headers,
  headerValue,
  isIdentifier,
  mcpMeta,
  type Outcome,
  outcomes,
  type Trace,
  writeOutcome,
} from '@agentic-rest/profile'
import { KEY_ARGUMENT } from '../catalogue/read-tool.ts'
import { type CatalogueTool, hasEffect } from '../catalogue/tool.ts'
import type { Environment } from '../environment.ts'
import { isObject, type JsonObject, textAt } from '../json-value.ts'
import { invalidParams } from '../protocol/json-rpc.ts'
import type { InputRequest, ToolAnswer, ToolCall } from '../protocol/tool-host.ts'
import { challengeOf } from '../resource-metadata.ts'
import type { Seal } from '../sealed-text.ts'
import type { CallState, CallStates, PendingApproval } from './call-state.ts'
import { answersOf, FORM_KEY, formOf, readClarification } from './form.ts'
import {
  type Answered,
  baseHeaders,
  codeOf,
  correlationOf,
  type InnerAnswer,
  type InnerRequest,
  localPath,
  readAnswer,
  type Send,
} from './inner-exchange.ts'
import { isOver, newTask, outcomeOf, pollOf, taskIdOf } from './operation-task.ts'
import { type Ending, type ResultExtras, resultOf } from './outcome-result.ts'
import { approvalMessage, readApproval } from './read-approval.ts'
import { readStream } from './stream-result.ts'
import { type NoRequest, type ToolRequest, toolRequest } from './tool-request.ts'

/** The surroundings of all calls. */
export interface RunOptions {
  readonly send: Send
  readonly seal: Seal
  readonly states: CallStates
  readonly environment: Environment
  readonly publicUrl: string
  /** How long one round waits for an approval or an operation. */
  readonly holdSeconds: number
  /** After this time a pending approval is an answer. */
  readonly approvalMinutes: number
  /** Whether a route shows the status of the operations of a tool. */
  canPoll(tool: CatalogueTool): boolean
}

const MAX_FORMS = 4
const MAX_TOKENS = 8
const HEARTBEAT_MS = 5000
const APPROVAL_POLL_MS = 1000
const APPROVAL_KEY = 'approval'
const CALL_AGAIN = 'Call the tool again after the decision.'

/** The idempotency key of a new call; undefined for one that no header can carry. */
export function chosenKey(tool: CatalogueTool, call: ToolCall): { readonly key: unknown } | undefined {
  const isArgument = tool.route.mcp.idempotencyArgument === true
  const given = [
    call.meta[mcpMeta.idempotencyKey],
    headerValue(call.headers, headers.idempotencyKey),
    call.params['idempotencyKey'],
    isArgument ? call.arguments[KEY_ARGUMENT] : undefined,
  ].find((key) => key !== undefined && key !== '')
  return given === undefined ? undefined : { key: given }
}

/** The state of a call in its first round. */
export function firstState(call: ToolCall, key: string, environment: Environment): CallState {
  return { correlationId: correlationOf(call.headers, environment), key, round: 1, forms: 0, answers: [] }
}

/** One round of a call: sends the request of the tool and turns its outcome into an answer. */
export class ToolRun {
  readonly #options: RunOptions
  readonly #tool: CatalogueTool
  readonly #call: ToolCall
  #state: CallState
  #tokens: readonly string[] = []
  readonly #approved = new Set<string>()
  readonly #startedAt: number
  #progress = 0

  constructor(
    options: RunOptions,
    tool: CatalogueTool,
    round: { readonly call: ToolCall; readonly state: CallState },
  ) {
    this.#options = options
    this.#tool = tool
    this.#call = round.call
    this.#state = round.state
    this.#startedAt = options.environment.now()
  }

  /** The answer of this round. */
  async run(): Promise<ToolAnswer> {
    const { approval, asked } = this.#state
    if (approval !== undefined) return this.#resumeApproval(approval)
    return asked === undefined ? this.#perform() : this.#resumeForm(asked)
  }

  async #perform(): Promise<ToolAnswer> {
    const request = toolRequest(this.#tool, this.#call.arguments, this.#state.answers)
    if (request.type !== 'request') return this.#withoutRequest(request)
    return this.#judge(await this.#sendTool(request))
  }

  #withoutRequest(reason: NoRequest): ToolAnswer {
    const { name } = reason
    switch (reason.type) {
      case 'unknown_argument':
        return { type: 'refused', error: invalidParams(`Unknown argument: ${name}`) }
      case 'missing': {
        const input = {
          name,
          location: 'path',
          type: 'string',
          required: true,
          question: reason.question,
        } as const
        const message = `The operation needs more input: ${name}.`
        return this.#askForm(this.#own({ type: 'clarification_required', message, requiredInputs: [input] }))
      }
      case 'invalid': {
        const errors = [{ field: name, message: reason.message }]
        return this.#result(
          this.#own({ type: 'validation_failed', message: `${name} ${reason.message}.`, errors }),
        )
      }
    }
  }

  /** An outcome of the facade itself. */
  #own(outcome: Outcome): Answered {
    const trace = this.#trace()
    const { status, headers: source, body } = writeOutcome(outcome, trace)
    return readAnswer({ status, headers: source, body }, trace)
  }

  #judge(answered: Answered): ToolAnswer | Promise<ToolAnswer> {
    const { status, type } = answered
    if (status === conditions.unauthenticated) return this.#challenge(answered)
    if (type === 'forbidden' && codeOf(answered) === 'INSUFFICIENT_SCOPE') return this.#challenge(answered)
    switch (type) {
      case 'clarification_required':
        return this.#askForm(answered)
      case 'approval_required':
        return this.#askApproval(answered)
      case 'accepted':
        return this.#follow(answered)
      case 'success':
      case 'created':
      case 'validation_failed':
      case 'forbidden':
      case 'conflict':
      case 'failed_dependency':
      case 'error':
        return this.#result(answered)
    }
  }

  #result(answered: Answered, extras?: ResultExtras): ToolAnswer {
    return { type: 'result', result: resultOf(answered, this.#call.client.version, extras) }
  }

  /** A missing token or scope is a status: only the client can get another token. */
  #challenge({ status, headers: source, body }: Answered): ToolAnswer {
    const own = headerValue(source, 'www-authenticate')
    return {
      type: 'http',
      status,
      headers: {
        'WWW-Authenticate': challengeOf(this.#options.publicUrl, own),
        [headers.contentType]: outcomes.error.mediaType,
      },
      body: JSON.stringify(body),
    }
  }

  // Clarifications.

  #askForm(answered: Answered): ToolAnswer {
    const { client } = this.#call
    const clarification = readClarification(answered.body)
    const mayAsk = client.elicitation.form && this.#state.forms < MAX_FORMS
    const form = mayAsk && clarification ? formOf(clarification, client.version) : undefined
    if (form === undefined) return this.#result(answered)
    const { status, body, trace } = answered
    const state = {
      ...this.#state,
      forms: this.#state.forms + 1,
      asked: { status, body, requestId: trace.requestId },
    }
    return this.#ask(state, { [FORM_KEY]: form }) ?? this.#result(answered)
  }

  #resumeForm(asked: NonNullable<CallState['asked']>): ToolAnswer | Promise<ToolAnswer> {
    const answered = this.#askedBefore(asked)
    const { action, content } = responseOf(this.#call, FORM_KEY)
    const ending = endingOf(action)
    if (ending !== undefined) return this.#result(answered, { answered: ending })
    const clarification = readClarification(asked.body)
    // The client came back without an answer to the form.
    if (action !== 'accept' || !isObject(content) || clarification === undefined)
      return this.#askForm(answered)
    const answers = answersOf(clarification, content)
    const isNew = ({ location, name }: { location: string; name: string }) =>
      !answers.some((each) => each.location === location && each.name === name)
    const { asked: _, ...state } = this.#state
    this.#state = { ...state, answers: [...state.answers.filter(isNew), ...answers] }
    return this.#perform()
  }

  #askedBefore({ status, body, requestId }: NonNullable<CallState['asked']>): Answered {
    const trace = { correlationId: this.#state.correlationId, requestId }
    return { ...readAnswer({ status, headers: {}, body: '' }, trace), body }
  }

  /** The question with the sealed state; undefined if the state is too large. */
  #ask(state: CallState, inputRequests?: Readonly<Record<string, InputRequest>>): ToolAnswer | undefined {
    const requestState = this.#options.states.seal(this.#call, state)
    if (requestState === undefined) return undefined
    return { type: 'input_required', ...(inputRequests && { inputRequests }), requestState }
  }

  // Approvals.

  async #askApproval(answered: Answered): Promise<ToolAnswer> {
    const { publicUrl, environment, approvalMinutes } = this.#options
    const token = textAt(answered.body, 'approvalToken')
    const location = localPath(headerValue(answered.headers, 'location'), publicUrl)
    if (token === undefined || location === undefined) return this.#result(answered)
    const { state, role } = await this.#readApproval(location)
    this.#tokens = [...this.#tokens, token].slice(-MAX_TOKENS)
    // Somebody decided meanwhile: so approvals work with clients that only call again.
    if (state === 'approved' && !this.#approved.has(location)) {
      this.#approved.add(location)
      return this.#perform()
    }
    const url = new URL(location, publicUrl).href
    if (!this.#call.client.elicitation.url) return this.#result(answered, { added: { approvalUrl: url } })
    const approval: PendingApproval = {
      token: this.#tokens.join(','),
      location,
      url,
      message: approvalMessage(answered.body, role),
      until: environment.now() + approvalMinutes * 60_000,
      accepted: false,
    }
    return this.#showApproval(approval, answered)
  }

  #showApproval(approval: PendingApproval, answered: Answered): ToolAnswer {
    const { url, message } = approval
    const { status, body, trace } = answered
    // The token is in `approval` only; the body of a refused approval never needs it.
    const kept = isObject(body) ? { ...body, approvalToken: undefined } : body
    const state = { ...this.#state, approval, asked: { status, body: kept, requestId: trace.requestId } }
    const request = { method: 'elicitation/create', params: { mode: 'url', url, message } }
    const shown = this.#ask(state, { [APPROVAL_KEY]: request })
    return shown ?? this.#result(answered, { added: { approvalUrl: url } })
  }

  async #resumeApproval(approval: PendingApproval): Promise<ToolAnswer> {
    const { asked } = this.#state
    const answered = asked === undefined ? this.#own(lostApproval(approval)) : this.#askedBefore(asked)
    const added = { approvalUrl: approval.url }
    const { action } = responseOf(this.#call, APPROVAL_KEY)
    const ending = endingOf(action)
    if (ending !== undefined) return this.#result(answered, { added, answered: ending })
    if (action !== 'accept' && !approval.accepted) return this.#showApproval(approval, answered)
    const isDecided = await this.#holdApproval(approval)
    if (isDecided) {
      const { approval: _, asked: __, ...state } = this.#state
      this.#state = state
      this.#tokens = approval.token.split(',')
      return this.#perform()
    }
    const late = { added: { ...added, next: CALL_AGAIN } }
    if (this.#options.environment.now() >= approval.until) return this.#result(answered, late)
    // Without a question: the person has seen the link already.
    return (
      this.#ask({ ...this.#state, approval: { ...approval, accepted: true } }) ?? this.#result(answered, late)
    )
  }

  /** Waits for the decision; false if it is still open. A refusal counts too: the service answers it. */
  async #holdApproval({ location, until }: PendingApproval): Promise<boolean> {
    const { environment, holdSeconds } = this.#options
    const deadline = Math.min(environment.now() + holdSeconds * 1000, until)
    for (;;) {
      const { state } = await this.#readApproval(location)
      if (state !== undefined && state !== 'pending') return true
      if (environment.now() >= deadline || this.#call.signal.aborted) return false
      this.#report('Waiting for the approval.')
      await environment.wait(APPROVAL_POLL_MS, this.#call.signal)
    }
  }

  async #readApproval(location: string) {
    return readApproval(await this.#get(location))
  }

  // Background work.

  async #follow(answered: Answered): Promise<ToolAnswer> {
    const { seal, publicUrl, environment, holdSeconds } = this.#options
    const statusPath = localPath(textAt(answered.body, 'statusUrl'), publicUrl)
    if (statusPath === undefined) return this.#result(answered)
    const reference = { routeId: this.#tool.route.id, statusPath }
    const taskId = taskIdOf(seal, reference, this.#call.caller)
    if (this.#wantsTask()) return { type: 'task', task: newTask(taskId, answered, environment.now()) }
    const deadline = environment.now() + holdSeconds * 1000
    let latest = answered
    while (environment.now() < deadline && !this.#call.signal.aborted) {
      this.#report('Working.')
      await environment.wait(Math.min(pollOf(latest), deadline - environment.now()), this.#call.signal)
      latest = await this.#get(statusPath)
      const outcome = outcomeOf(latest)
      if (outcome !== undefined && isOver(latest)) return this.#result(outcome)
      if (latest.type !== 'success') break
    }
    return this.#result(answered, { added: { operationHandle: taskId } })
  }

  #wantsTask(): boolean {
    return this.#call.client.tasks && this.#options.canPoll(this.#tool)
  }

  // Requests.

  #trace(): Trace {
    return { correlationId: this.#state.correlationId, requestId: this.#options.environment.randomUUID() }
  }

  async #get(path: string): Promise<Answered> {
    const trace = this.#trace()
    const answer = await this.#send({
      method: 'GET',
      path,
      headers: baseHeaders(this.#call, trace),
      body: undefined,
    })
    return readAnswer(answer, trace)
  }

  async #sendTool({ path, headers: own, body }: ToolRequest): Promise<Answered> {
    const { method, mcp } = this.#tool.route
    const trace = this.#trace()
    const streams = mcp.stream === 'events' && this.#call.progress !== undefined
    const request = {
      method,
      path,
      headers: {
        ...own,
        ...baseHeaders(this.#call, trace),
        ...(body !== undefined && { [headers.contentType]: outcomes.success.mediaType }),
        ...(hasEffect(method) && { [headers.idempotencyKey]: this.#state.key }),
        ...(this.#tokens.length > 0 && { [headers.approvalToken]: this.#tokens.join(',') }),
        ...(this.#tool.canAnswerLater && this.#wantsTask() && { Prefer: 'respond-async' }),
        ...(streams && { Accept: 'text/event-stream' }),
      },
      body,
    }
    return this.#withHeartbeat(this.#send(request).then((answer) => this.#read(answer, trace)))
  }

  #read(answer: InnerAnswer, trace: Trace): Answered | Promise<Answered> {
    const { events } = answer
    if (events === undefined) return readAnswer(answer, trace)
    return readStream({ ...answer, events }, trace, (message) => this.#report(message, this.#progress + 1))
  }

  #send(request: Pick<InnerRequest, 'method' | 'path' | 'headers' | 'body'>): Promise<InnerAnswer> {
    const { client, signal, source } = this.#call
    const { name: tool } = this.#tool.definition
    const facts = { tool, version: client.version, client: client.name, round: this.#state.round }
    return this.#options.send({ ...request, signal, facts, source })
  }

  /** Reports progress while nothing happens, so that clients do not give up. */
  async #withHeartbeat<T>(work: Promise<T>): Promise<T> {
    if (this.#call.progress === undefined) return work
    const { environment } = this.#options
    const ended = new AbortController()
    const beat = async () => {
      for (;;) {
        await environment.wait(HEARTBEAT_MS, ended.signal)
        if (ended.signal.aborted || this.#call.signal.aborted) return
        this.#report()
      }
    }
    void beat()
    try {
      return await work
    } finally {
      ended.abort()
    }
  }

  /** Progress counts events or seconds. It only grows, as MCP demands. */
  #report(message?: string, wanted = this.#elapsedSeconds()): void {
    if (this.#call.progress === undefined) return
    this.#progress = Math.max(wanted, this.#progress + 1)
    this.#call.progress({ progress: this.#progress, ...(message !== undefined && { message }) })
  }

  #elapsedSeconds(): number {
    return Math.floor((this.#options.environment.now() - this.#startedAt) / 1000)
  }
}

function responseOf({ inputResponses }: ToolCall, key: string): JsonObject {
  const response = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
  return isObject(response) ? response : {}
}

function endingOf(action: unknown): Ending | undefined {
  if (action === 'decline') return 'declined'
  return action === 'cancel' ? 'cancelled' : undefined
}

function lostApproval({ message }: PendingApproval): Outcome {
  return { type: 'approval_required', message, approvalToken: '' }
}

/** Whether a key can be sent in a header. */
export function isKey(key: unknown): key is string {
  return isIdentifier(key)
}
