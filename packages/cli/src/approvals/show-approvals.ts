import { styleText } from 'node:util'
import { printableText } from '@agentic-rest/profile'
import {
  type Approval,
  type ApprovalDecision,
  countApproved,
  inputsByPlace,
  isConfirmation,
  requestLine,
  requestWords,
} from '@agentic-rest/profile/approval'
import { facts, lines } from '../call/show-outcome.ts'
import { jsonText, terminalLine, textTable } from '../terminal-text.ts'

const HEADINGS = ['APPROVAL', 'STATE', 'OPERATION', 'ASKED BY', 'EXPIRES', 'MESSAGE']
const LONGEST_MESSAGE = 60

/** Approvals as a table, the newest first. */
export function approvalsTable(approvals: readonly Approval[], stream: NodeJS.WriteStream): string {
  const rows = approvals.map(({ approvalId, state, operation, requester, expiresAt, message }) =>
    [approvalId, state, operation, requester, expiresAt, shortened(message)].map(terminalLine),
  )
  const [heading = '', ...lines] = textTable([HEADINGS, ...rows])
  return [styleText('bold', heading, { stream }), ...lines].map((line) => `${line}\n`).join('')
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST_MESSAGE ? text : `${characters.slice(0, LONGEST_MESSAGE).join('')}…`
}

/** Everything about an approval that a decision depends on. */
export function approvalText(approval: Approval, stream: NodeJS.WriteStream): string {
  const { approvalId, state, requestedFor, via, requester, decisions } = approval
  const colour = state === 'pending' ? 'yellow' : ['approved', 'used'].includes(state) ? 'green' : 'red'
  const way = [...via, `${requester} called ${approval.operation}`]
  return [
    `${styleText([colour, 'bold'], terminalLine(state), { stream })}  ${styleText('dim', terminalLine(approvalId), { stream })}\n`,
    `${printableText(approval.message)}\n`,
    facts({
      operation: approval.operation,
      'asked by': person(requester, approval.requesterIssuer),
      'on behalf of': orNone(person(requestedFor, approval.requestedForIssuer)),
      way: via.length === 0 ? undefined : way.join(' -> '),
      asked: orNone(approval.createdAt),
      expires: orNone(approval.expiresAt),
      needed: needed(approval),
    }),
    ...(decisions.length === 0 ? [] : [heading('Decisions', stream), ...decisions.map(decisionText)]),
    requestText(approval, stream),
  ].join('')
}

/** A name is unique only at its issuer. */
function person(subject: string, issuer: string): string {
  return subject === '' || issuer === '' ? subject : `${subject} at ${issuer}`
}

function needed(approval: Approval): string {
  const { quorum, role } = approval
  if (isConfirmation(approval)) return 'a confirmation by the person who asked'
  const who = role === '' ? '' : ` with the role ${role}`
  if (quorum === 1) return `one approval by somebody else${who}`
  return `${quorum} approvals by different people${who}; ${countApproved(approval)} so far`
}

function decisionText({ decidedBy, decidedByIssuer, verdict, comment, decidedAt }: ApprovalDecision): string {
  const said = comment === '' ? '' : `: ${comment}`
  return `  ${terminalLine(`${person(decidedBy, decidedByIssuer)} ${verdict} ${decidedAt}`.trim() + said)}\n`
}

function requestText({ request, digest }: Approval, stream: NodeJS.WriteStream): string {
  if (request === null) return `${requestWords.notShown}\n`
  const inputs = inputsByPlace(request)
  return [
    heading('Request', stream),
    `  ${terminalLine(requestLine(request))}\n`,
    lines(inputs.flatMap(([place, values]) => leaves(place, values))),
    inputs.length === 0 && !request.truncated ? `  ${requestWords.noInputs}\n` : '',
    request.truncated ? `  ${requestWords.cut}\n` : '',
    facts({ digest: orNone(digest) }),
  ].join('')
}

/** One line for each input, by its place: `body.amount 500`. */
function leaves(path: string, value: unknown): [string, string][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return [[path, jsonText(value, 0)]]
  return entries.flatMap(([key, each]) => leaves(`${path}.${keyText(key)}`, each))
}

/** Other names have quotes, so that a member named `to.iban` does not look like the member `iban` of `to`. */
function keyText(key: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(key) ? key : jsonText(key, 0)
}

function heading(text: string, stream: NodeJS.WriteStream): string {
  return `${styleText('bold', text, { stream })}\n`
}

function orNone(text: string): string | undefined {
  return text === '' ? undefined : text
}
