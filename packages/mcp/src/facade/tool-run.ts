import {
  conditions,
  headers,
  headerValue,
  isObject,
  type JsonObject,
  type Outcome,
  outcomes,
  writeOutcome,
} from '@agentic-rest/profile'
import { type Approval, readApproval } from '@agentic-rest/profile/approval'
import type { CatalogueTool } from '../catalogue/tool.ts'
import { textAt } from '../json-value.ts'
import { invalidParams } from '../protocol/json-rpc.ts'
import type { InputRequest, ToolAnswer, ToolCall } from '../protocol/tool-host.ts'
import { challengeOf } from '../resource-metadata.ts'
import { CallRequests, type Round, type RunOptions } from './call-requests.ts'
import type { CallState, PendingApproval } from './call-state.ts'
import { answersOf, FORM_KEY, formOf, readClarification } from './form.ts'
import { type Answered, codeOf, localPath, readAnswer } from './inner-exchange.ts'
import { isOver, newTask, outcomeOf, pollOf, taskIdOf } from './operation-task.ts'
import { type Ending, type ResultExtras, resultOf } from './outcome-result.ts'
import { type NoRequest, toolRequest } from './tool-request.ts'

const MAX_FORMS = 4
const MAX_TOKENS = 8
const APPROVAL_POLL_MS = 1000
const APPROVAL_KEY = 'approval'
const CALL_AGAIN = 'Call the tool again after the decision.'

/** One round of a call: sends the request of the tool and turns its outcome into an answer. */
export class ToolRun {
  readonly #options: RunOptions
  readonly #tool: CatalogueTool
  readonly #call: ToolCall
  #state: CallState
  #tokens: readonly string[] = []
  readonly #approved = new Set<string>()
  readonly #requests: CallRequests

  constructor(options: RunOptions, tool: CatalogueTool, round: Round) {
    this.#options = options
    this.#tool = tool
    this.#call = round.call
    this.#state = round.state
    this.#requests = new CallRequests(options, tool, round)
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
    return this.#judge(await this.#requests.sendTool(request, this.#tokens))
  }

  #withoutRequest(reason: NoRequest): ToolAnswer {
    const { name } = reason
    switch (reason.type) {
      case 'unknown_argument':
        return { type: 'refused', error: invalidParams(`Unknown argument: ${name.slice(0, 64)}`) }
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
    const trace = this.#requests.trace()
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

  /** The path of an address of the service itself; a service must not make the caller ask another one. */
  #followable(address: string | undefined): string | undefined {
    const path = localPath(address, this.#options.publicUrl)
    return path !== undefined && this.#options.canFollow(this.#tool, path) ? path : undefined
  }

  // Approvals.

  async #askApproval(answered: Answered): Promise<ToolAnswer> {
    const { publicUrl, environment, approvalMinutes } = this.#options
    const token = textAt(answered.body, 'approvalToken')
    const location = this.#followable(headerValue(answered.headers, 'location'))
    if (token === undefined || location === undefined) return this.#result(answered)
    const { state, role } = await this.#readApproval(location)
    this.#tokens = [...this.#tokens, token].slice(-MAX_TOKENS)
    // Somebody decided meanwhile: so approvals work with clients that only call again.
    if (state === 'approved' && !this.#approved.has(location) && this.#approved.size < MAX_TOKENS) {
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
    while (!this.#call.signal.aborted) {
      const { state } = await this.#readApproval(location)
      if (state !== '' && state !== 'pending') return true
      if (environment.now() >= deadline) return false
      this.#requests.report('Waiting for the approval.')
      await environment.wait(APPROVAL_POLL_MS, this.#call.signal)
    }
    return false
  }

  /** With empty members if it could not be read. */
  async #readApproval(location: string): Promise<Approval> {
    const { type, body } = await this.#requests.get(location)
    return readApproval(type === 'success' ? body : undefined)
  }

  // Background work.

  async #follow(answered: Answered): Promise<ToolAnswer> {
    const { seal, environment, holdSeconds } = this.#options
    const statusPath = this.#followable(textAt(answered.body, 'statusUrl'))
    if (statusPath === undefined) return this.#result(answered)
    const reference = { routeId: this.#tool.route.id, statusPath }
    const taskId = taskIdOf(seal, reference, this.#call.caller)
    if (this.#requests.wantsTask())
      return { type: 'task', task: newTask(taskId, answered, environment.now()) }
    const deadline = environment.now() + holdSeconds * 1000
    let latest = answered
    while (environment.now() < deadline && !this.#call.signal.aborted) {
      this.#requests.report('Working.')
      await environment.wait(Math.min(pollOf(latest), deadline - environment.now()), this.#call.signal)
      if (this.#call.signal.aborted) break
      latest = await this.#requests.get(statusPath)
      const outcome = outcomeOf(latest)
      if (outcome !== undefined && isOver(latest)) return this.#result(outcome)
      if (latest.type !== 'success') break
    }
    return this.#result(answered, { added: { operationHandle: taskId } })
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

/** The text for the person: the question, and who decides it. */
function approvalMessage(body: unknown, role: string): string {
  const question = textAt(body, 'message') ?? 'The operation needs an approval.'
  const approver = isObject(body) ? textAt(body['approver'], 'name') : undefined
  const decider = role === '' ? (approver ?? 'Somebody else') : `Somebody with the role ${role}`
  return `${question} ${decider} has to decide this, and not the person who asked. Open or pass on the link.`
}

function lostApproval({ message }: PendingApproval): Outcome {
  return { type: 'approval_required', message, approvalToken: '' }
}
