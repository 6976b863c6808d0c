import type { Answered } from '@agentic-rest/client'
import { parseJson } from '@agentic-rest/profile'
import { CopyButton } from '../shell/copy-button.tsx'
import { formatJson, formatMs } from '../shell/format.ts'
import { JsonText } from '../shell/json-text.tsx'
import { OutcomeBadge } from '../shell/outcome-badge.tsx'
import { outcomeLabel } from '../shell/outcome-family.ts'
import { toCurl, type WireRequest } from './to-curl.ts'
import type { Step, StepAnswer } from './wire-log.ts'

interface StepProps {
  readonly step: Step
  readonly number: number
  readonly isLast: boolean
}

/** One request with its answer. */
export function StepCard({ step: { request, answer }, number, isLast }: StepProps) {
  return (
    <article class="card" aria-label={`Request ${number}`}>
      <header>
        <span class="mono">
          <b>{request.method}</b> {pathOf(request)}
        </span>
        <span class="spring" />
        <CopyButton label="Copy request as curl" text={() => toCurl(request)} />
      </header>
      {request.body !== undefined && (
        <details>
          <summary>Request body</summary>
          <JsonText
            label={`Body of request ${number}`}
            value={parseJson(request.body).value ?? request.body}
          />
        </details>
      )}
      {answer === undefined ? (
        <p class="note waiting">Sent, no answer yet…</p>
      ) : (
        <Answer {...{ answer, number, isLast }} />
      )}
    </article>
  )
}

interface AnswerProps {
  readonly answer: StepAnswer
  readonly number: number
  readonly isLast: boolean
}

function Answer({ answer, number, isLast }: AnswerProps) {
  const { status, outcome, tookMs, headers, body, isStream, violations } = answer
  return (
    <>
      <p class="answer-line">
        <OutcomeBadge outcome={outcome} status={status} />
        <span class="note">
          {formatMs(tookMs)}
          {isStream && ' · a stream'}
        </span>
        <span class="spring" />
        {!isStream && <CopyButton label="Copy body" text={() => textOfBody(body)} />}
      </p>
      {violations.length > 0 && (
        <ul class="field-fault">
          {violations.map(({ rule, pointer, message }) => (
            <li key={`${rule}${pointer}`}>
              {pointer} {message} ({rule})
            </li>
          ))}
        </ul>
      )}
      {!isStream && (
        <details open={isLast}>
          <summary>Body</summary>
          <JsonText label={`Answer ${number}`} value={body} />
        </details>
      )}
      <details>
        <summary>Headers</summary>
        <JsonText
          label={`Headers of answer ${number}`}
          value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </details>
    </>
  )
}

/** The polls of an operation or an approval: a count, with details on demand. */
export function FollowUps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return null
  return (
    <details class="follow-ups">
      <summary>
        {steps.length} follow-up {steps.length === 1 ? 'request' : 'requests'}
      </summary>
      <ol>
        {steps.map(({ request, answer }, index) => (
          <li key={index}>
            <span class="mono">
              {request.method} {pathOf(request)}
            </span>{' '}
            {answer !== undefined && <OutcomeBadge outcome={answer.outcome} status={answer.status} />}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** An outcome that was not the answer of the request itself. */
export function OutcomeCard({ title, outcome }: { readonly title: string; readonly outcome: Answered }) {
  const { type, answer, ...rest } = outcome
  const body = 'body' in rest ? rest.body : rest
  return (
    <article class="card result" aria-label={title}>
      <p class="answer-line">
        <b>{title}</b> <OutcomeBadge outcome={outcomeLabel(type, answer.status)} />
        <span class="spring" />
        <CopyButton label="Copy result" text={() => textOfBody(body)} />
      </p>
      <JsonText label={title} value={body} />
    </article>
  )
}

function textOfBody(body: unknown): string {
  return typeof body === 'string' ? body : formatJson(body)
}

function pathOf({ url }: WireRequest): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
