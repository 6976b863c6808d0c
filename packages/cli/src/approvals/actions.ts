import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, type Client, createClient, type RunOptions } from '@agentic-rest/client'
import { headers } from '@agentic-rest/profile'
import { type Approval, isApproval, readApproval, readApprovalPage } from '@agentic-rest/profile/approval'
import { isInteractive, openPrompt } from '../call/ask-inputs.ts'
import { CallError } from '../call/read-call.ts'
import { outcomeJson, outcomeText } from '../call/show-outcome.ts'
import { givenToken, NO_TOKEN } from '../given-token.ts'
import { exitCodes, type Host } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'
import { approvalsTable, approvalText } from './show-approvals.ts'

/** The arguments of `agentic approvals`. */
export interface ApprovalsOptions {
  readonly 'base-url': string
  readonly token: string | undefined
  readonly tenant: string | undefined
  readonly state: string
  readonly limit: string
  readonly cursor: string | undefined
  readonly comment: string | undefined
  readonly digest: string | undefined
  readonly yes: boolean
  readonly timeout: string
  readonly json: boolean
}

/** One call of the command. */
export interface Session {
  readonly client: Client
  readonly options: ApprovalsOptions
  readonly host: Host
  readonly stop: AbortController
}

/** Opens the client of a call. Throws a `CallError` for an invalid token. */
export function openSession(options: ApprovalsOptions, host: Host, stop: AbortController): Session {
  const token = givenToken(options.token, host.env)
  if (token === false) throw new CallError(NO_TOKEN)
  const client = createClient({ baseUrl: options['base-url'], token, tenantId: options.tenant })
  return { client, options, host, stop }
}

/** Lists the approvals that the caller may decide or has asked for. */
export async function list({ client, options, host, stop }: Session): Promise<number> {
  const { state, limit, cursor } = options
  if (!/^[1-9]\d{0,2}$/.test(limit)) throw new CallError('--limit is a number from 1 to 100')
  const query = { state: state === 'all' ? undefined : state, limit, cursor }
  const outcome = await client.request({ method: 'GET', path: '/approvals', query, signal: stop.signal })
  const page = outcome.type === 'success' ? readApprovalPage(outcome.body) : undefined
  if (outcome.type !== 'success' || page === undefined) return showOther(outcome, options, host)
  if (options.json) host.stdout.write(`${jsonText(outcome.body)}\n`)
  else if (page.approvals.length === 0) host.stdout.write('There are no such approvals.\n')
  else host.stdout.write(approvalsTable(page.approvals, host.stdout))
  if (page.next !== undefined && !options.json)
    host.stderr.write(`There are more: --cursor ${terminalLine(page.next)}\n`)
  return exitCodes.ok
}

/** Shows one approval. */
export async function show(session: Session, id: string): Promise<number> {
  const { outcome, approval } = await look(session, id)
  if (approval === undefined) return showOther(outcome, session.options, session.host)
  showApproval(outcome, approval, session)
  return exitCodes.ok
}

/** Decides an approval. It sends back the digest of the request that was shown, so that no other request is decided. */
export async function decide(session: Session, verb: 'approve' | 'reject', id: string): Promise<number> {
  const { client, options, host, stop } = session
  const asks = verb === 'approve' && !options.yes
  if (asks && !isInteractive(host))
    throw new CallError('without a terminal to show the request on, approve needs --yes')
  const seen = await look(session, id)
  if (seen.approval === undefined) return showOther(seen.outcome, options, host)
  if (asks && !(await isConfirmed(seen.approval, session))) {
    host.stderr.write('Nothing was decided.\n')
    return exitCodes.failed
  }
  const digest = options.digest ?? (seen.approval.digest || undefined)
  const path = '/approvals/{approvalId}/{verb}'
  const params = { approvalId: id, verb }
  const body = { digest, comment: options.comment }
  const outcome = await client.request({ method: 'POST', path, params, body, signal: stop.signal })
  const approval = approvalOf(outcome)
  if (approval === undefined) return showOther(outcome, options, host)
  showApproval(outcome, approval, session)
  return exitCodes.ok
}

async function isConfirmed(approval: Approval, { host, stop }: Session): Promise<boolean> {
  host.stderr.write(approvalText(approval, host.stderr))
  const prompt = openPrompt(host, stop)
  try {
    const answer = await prompt.ask('Approve this request? [y/N] ')
    stop.signal.throwIfAborted()
    return /^y(?:es)?$/i.test(answer?.trim() ?? '')
  } finally {
    prompt.close()
  }
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
const TOLD_PAUSE_MS = 3_600_000
const LAST_LOOK_MS = 2_000
// A gateway that restarts does not end a wait.
const RETRIES = 5

/** Waits until an approval is decided, expired or withdrawn. */
export async function wait(session: Session, id: string): Promise<number> {
  const { options, host, stop } = session
  const seconds = Number(options.timeout)
  if (!/^\d+(\.\d+)?$/.test(options.timeout) || seconds > 86_400)
    throw new CallError('--timeout is a number of seconds up to 86400')
  const endsAt = performance.now() + (seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000)
  // The last look begins when the time is over.
  const isLate = seconds === 0 ? [] : [AbortSignal.timeout(seconds * 1000 + LAST_LOOK_MS)]
  const signal = AbortSignal.any([stop.signal, ...isLate])
  for (let attempt = 0; ; attempt++) {
    const { outcome, approval } = await look(session, id, { maxRetries: RETRIES, signal })
    if (approval === undefined) return showOther(outcome, options, host)
    const leftMs = endsAt - performance.now()
    if (approval.state !== 'pending' || leftMs <= 0) {
      showApproval(outcome, approval, session)
      return ['approved', 'used'].includes(approval.state) ? exitCodes.ok : exitCodes.failed
    }
    await sleep(Math.min(pauseMs(attempt, outcome), leftMs), undefined, { signal: stop.signal })
  }
}

/** The `Retry-After` of the answer, otherwise a pause that grows. An hour at most: a longer timer could fire at once. */
function pauseMs(attempt: number, { answer }: Answered): number {
  const told = Number(answer.headers.get(headers.retryAfter) ?? Number.NaN) * 1000
  if (told > 0) return Math.min(Math.max(told, FIRST_PAUSE_MS), TOLD_PAUSE_MS)
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
}

async function look({ client, stop }: Session, id: string, options: RunOptions = {}) {
  const request = { method: 'GET', path: '/approvals/{approvalId}', params: { approvalId: id } }
  const outcome = await client.run(request, { maxRetries: 0, signal: stop.signal, ...options })
  return { outcome, approval: approvalOf(outcome) }
}

function approvalOf(outcome: Answered): Approval | undefined {
  const approval = readApproval(outcome.type === 'success' ? outcome.body : undefined)
  return isApproval(approval) ? approval : undefined
}

function showApproval(outcome: Answered, approval: Approval, { options, host }: Session): void {
  const body = outcome.type === 'success' ? outcome.body : undefined
  host.stdout.write(options.json ? `${jsonText(body)}\n` : approvalText(approval, host.stdout))
}

/** Shows an outcome that is no approval. */
function showOther(outcome: Answered, { json }: ApprovalsOptions, host: Host): number {
  const { trace, profile } = outcome.answer
  const shown = { outcome, trace, profile, location: undefined }
  if (json) host.stdout.write(`${outcomeJson(shown)}\n`)
  else if (outcome.type === 'success') host.stderr.write('The answer is not that of an approval.\n')
  else host.stderr.write(outcomeText(shown, host.stderr))
  return exitCodes.failed
}
