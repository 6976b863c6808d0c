import { styleText } from 'node:util'
import type { Outcome, Trace } from '@agentic-rest/client'
import {
  headers,
  isIdentifier,
  parseOwnJson,
  printableText,
  statusOf,
  writeOutcome,
} from '@agentic-rest/profile'
import { jsonText, terminalLine, textTable } from '../terminal-text.ts'
import { describeInput } from './ask-inputs.ts'

/** An outcome and the fields of its answer that are shown with it. */
export interface Shown {
  readonly outcome: Outcome
  readonly trace: Trace
  readonly profile: string | undefined
  /** The URL of the approval, if the answer has one. */
  readonly location: string | undefined
  /** The address of a status or an approval that nothing serves. */
  readonly unreachable?: string | undefined
  /** How to be asked the questions at the terminal, if that is possible. */
  readonly hint?: string | undefined
}

/** Whether an outcome has a 2xx status. */
export function isSuccess({ type }: Outcome): boolean {
  return type === 'success' || type === 'created' || type === 'accepted'
}

/** The outcome as JSON. Its type is `outcome`, as in the status of an operation (decision 10). */
export function outcomeJson({ outcome, ...shown }: Shown): string {
  const { trace, profile, location, unreachable } = shown
  const body = isOwnBody(outcome) ? outcome.body : parseOwnJson(writeOutcome(outcome, writable(trace)).body)
  const status = statusOf(outcome)
  return jsonText({ status, outcome: outcome.type, body, trace, profile, location, unreachable })
}

function isOwnBody(outcome: Outcome): outcome is Extract<Outcome, { type: 'success' | 'created' }> {
  return outcome.type === 'success' || outcome.type === 'created'
}

// The encoder refuses invalid ids of a service. They are still shown beside the body.
function writable({ correlationId, requestId }: Trace): Trace {
  const orNone = (id: string) => (isIdentifier(id) ? id : 'none')
  return { correlationId: orNone(correlationId), requestId: orNone(requestId) }
}

/** The outcome as text: status, type, the ids to search in records, and the content. */
export function outcomeText(shown: Shown, stream: NodeJS.WriteStream): string {
  const { outcome, trace } = shown
  const colour = isSuccess(outcome) ? 'green' : outcome.type === 'error' ? 'red' : 'yellow'
  const head = styleText([colour, 'bold'], `${statusOf(outcome)} ${outcome.type}`, { stream })
  const ids = `correlation ${terminalLine(trace.correlationId)}, request ${terminalLine(trace.requestId)}`
  return `${head}  ${styleText('dim', ids, { stream })}\n${bodyText(shown)}`
}

function bodyText({ outcome, location, hint }: Shown): string {
  switch (outcome.type) {
    case 'success':
    case 'created':
      return `${jsonText(outcome.body)}\n`
    case 'accepted':
      return `${said(outcome.message)}${facts({ operation: outcome.operationId, status: outcome.statusUrl })}`
    case 'clarification_required':
      return `${said(outcome.message)}${outcome.requiredInputs.map(describeInput).join('')}${again(hint)}`
    case 'validation_failed':
      return `${said(outcome.message)}${lines(outcome.errors.map(({ field, message }) => [field, message]))}`
    case 'approval_required':
      return `${said(outcome.message)}${approvalFacts(outcome, location)}`
    case 'conflict':
      return `${coded(outcome)}${facts({ conflicting: outcome.conflictingResourceId })}`
    case 'error':
      return `${coded(outcome)}${facts({ 'try again': after(outcome.retryAfter) })}`
    case 'forbidden':
    case 'failed_dependency':
      return coded(outcome)
  }
}

function again(hint: string | undefined): string {
  return `Send the request again with these inputs${hint === undefined ? '' : `, or ${hint} to be asked for them`}.\n`
}

function approvalFacts(
  { approver, approvalToken }: Extract<Outcome, { type: 'approval_required' }>,
  location: string | undefined,
): string {
  const next = `send it again with --header "${headers.approvalToken}: ${approvalToken}"`
  return facts({ approver: approver?.name, where: location, afterwards: next })
}

function said(message: string | undefined): string {
  return message === undefined ? '' : `${printableText(message)}\n`
}

function coded({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${terminalLine(code)}: ${printableText(message)}\n`
}

function after(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `after ${seconds} s`
}

/** A line for each defined value. */
export function facts(given: Readonly<Record<string, string | undefined>>): string {
  return lines(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** Rows as indented lines of aligned columns, safe for a terminal. */
export function lines(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(terminalLine))
  return textTable(safe)
    .map((line) => `  ${line}\n`)
    .join('')
}
