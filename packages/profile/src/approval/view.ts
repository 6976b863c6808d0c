import { printableText } from '../printable.ts'
import type { Approval, ApprovalDecision, ApprovalState } from './approval.ts'
import type { Listed } from './lists.ts'
import {
  type ApprovalVerb,
  countApproved,
  decidedAt,
  describeNeeded,
  inputsByPlace,
  isConfirmation,
  requestLine,
  stateOf,
  timeLeft,
} from './rules.ts'

/** Makes an element: a node of the browser, or one of a library such as Preact. A text child is never markup. */
export type MakeElement<Node> = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[],
) => Node

/** The names of a state: as a heading, and in a list. */
export const approvalWords: Readonly<
  Record<ApprovalState, { readonly title: string; readonly words: string }>
> = {
  pending: { title: 'Approval needed', words: 'waits for a decision' },
  approved: { title: 'Approved', words: 'approved, not used yet' },
  used: { title: 'Approved and used', words: 'approved and used' },
  rejected: { title: 'Rejected', words: 'rejected' },
  expired: { title: 'Expired', words: 'expired' },
  withdrawn: { title: 'Withdrawn', words: 'withdrawn' },
}

/** The names of a state, which may be one of a newer service. */
export function wordsOfState(state: string): { readonly title: string; readonly words: string } {
  return Object.hasOwn(approvalWords, state)
    ? approvalWords[state as ApprovalState]
    : { title: 'Approval', words: state || 'unknown' }
}

/** The displayed name of a state, and the family of its colour. */
export interface StateView {
  readonly words: string
  readonly family: 'asks' | 'done' | 'refused' | 'failed' | 'background'
}

const families: ReadonlyMap<string, StateView['family']> = new Map([
  ['pending', 'asks'],
  ['approved', 'done'],
  ['used', 'done'],
  ['rejected', 'refused'],
  ['expired', 'failed'],
])

/** The displayed state of an approval, with the approvals so far. */
export function viewState(approval: Approval, now: number): StateView {
  const state = stateOf(approval, now)
  const family = families.get(state) ?? 'background'
  const approved = countApproved(approval)
  const isBegun = state === 'pending' && approved > 0
  return {
    family,
    words: isBegun ? `${approved} of ${approval.quorum} approvals` : wordsOfState(state).words,
  }
}

/** The label of a button. */
export function verbLabel(approval: Approval, verb: ApprovalVerb): string {
  if (verb === 'approve') return isConfirmation(approval) ? 'Confirm' : 'Approve'
  return verb === 'reject' ? 'Reject' : 'Withdraw'
}

/** The text after an action. */
export const doneWords: Readonly<Record<ApprovalVerb, string>> = {
  approve: 'You approved it.',
  reject: 'You rejected it.',
  withdraw: 'You withdrew it.',
}

/** What is said in place of a request or of its inputs. */
export const requestWords = {
  cut: 'Some values are too large to be shown. The decision is about them too.',
  noInputs: 'The request has no inputs.',
  notShown: 'The service does not show the request.',
} as const
// Deeper values are compact JSON.
const SHOWN_LEVELS = 4

/** How an approval is shown. */
export interface ViewOptions<Node> {
  readonly make: MakeElement<Node>
  /** The level of the headings of its parts. */
  readonly level: 2 | 3
}

type Row<Node> = readonly [name: string, value: Node | string]

/**
 * Shows approvals: everything that a decision depends on. What is invisible in a text is shown as its code, because whoever
 * decides must see what is sent.
 */
export class ApprovalView<Node> {
  readonly #make: MakeElement<Node>
  readonly #level: number

  constructor({ make, level }: ViewOptions<Node>) {
    this.#make = make
    this.#level = level
  }

  /** A list of names and values. */
  list(rows: readonly Row<Node>[]): Node {
    const cells = rows.flatMap(([name, value]) => [this.#element('dt', name), this.#element('dd', value)])
    return this.#make('dl', { class: 'facts' }, cells)
  }

  /** A row of a list, as the content of a link. */
  row({ approval, service }: Listed, now: number): readonly Node[] {
    const { words, family } = viewState(approval, now)
    const { requester, requestedFor, operation, message } = approval
    const left = timeLeft(approval, now)
    const behalf = requestedFor === '' ? '' : ` for ${requestedFor}`
    const spans = (classes: string, ...children: readonly (Node | string)[]) =>
      this.#make('span', { class: classes }, children)
    const state = [
      spans(`badge ${family}`, printableText(words)),
      ...(left === '' ? [] : [spans('note', left)]),
    ]
    return [
      spans('inbox-title', printableText(message || operation)),
      spans('note', printableText(`${requester}${behalf} · ${operation} · ${service.path}`)),
      spans('inbox-state', ...state),
    ]
  }

  /** The people, the way, the times and the digest of an approval. */
  facts(approval: Approval, now: number): readonly Row<Node>[] {
    const { operation, requester, requestedFor, via, createdAt, expiresAt, digest } = approval
    const left = timeLeft(approval, now)
    const decided = decidedAt(approval)
    const rows: readonly (Row<Node> | undefined)[] = [
      ['Operation', operation],
      ['Asked by', this.#person(requester, approval.requesterIssuer)],
      requestedFor === ''
        ? undefined
        : ['On behalf of', this.#person(requestedFor, approval.requestedForIssuer)],
      via.length === 0 ? undefined : ['Way', this.#way(approval)],
      createdAt === '' ? undefined : ['Asked', this.#time(createdAt)],
      expiresAt === ''
        ? undefined
        : ['Expires', this.#element('span', this.#time(expiresAt), left === '' ? '' : ` · ${left}`)],
      ['Needed', describeNeeded(approval)],
      decided === '' ? undefined : ['Decided at', this.#time(decided)],
      digest === '' ? undefined : ['Digest', this.#make('span', { class: 'approval-digest' }, [digest])],
    ]
    return rows.filter((row) => row !== undefined)
  }

  /** The request that would be sent. */
  request({ request }: Approval): Node {
    const line = requestLine(request)
    if (request === null || line === '')
      return this.#make('p', { class: 'approval-cut' }, [requestWords.notShown])
    const places = inputsByPlace(request).flatMap(([place, value]) => [
      this.#heading(1, `In the ${printableText(place)}`),
      this.value(value),
    ])
    // A reader without a mouse scrolls it with the arrow keys.
    const inputs = { class: 'approval-inputs', tabindex: '0', role: 'group', 'aria-label': 'Inputs' }
    return this.#make('section', { 'aria-label': 'Request' }, [
      this.#heading(0, 'Request'),
      this.#make('p', { class: 'approval-line' }, [printableText(line)]),
      ...(request.truncated ? [this.#make('p', { class: 'approval-cut' }, [requestWords.cut])] : []),
      ...(places.length > 0 ? [this.#make('div', inputs, places)] : []),
      ...(places.length > 0 || request.truncated ? [] : [this.#element('p', requestWords.noInputs)]),
    ])
  }

  /** The decisions so far; nothing without one. */
  decisions({ decisions }: Approval): readonly Node[] {
    if (decisions.length === 0) return []
    const rows = decisions.map((decision) => this.#decision(decision))
    return [
      this.#make('section', { 'aria-label': 'Decisions' }, [
        this.#heading(0, 'Decisions'),
        this.#make('ul', { class: 'approval-decisions' }, rows),
      ]),
    ]
  }

  /** A JSON value to read: objects as names and values, lists as lists, the rest as text. */
  value(value: unknown, depth = 0): Node {
    if (typeof value !== 'object' || value === null)
      return this.#make('span', { class: 'approval-value' }, [printableText(String(value))])
    const entries = Object.entries(value)
    if (entries.length === 0) return this.#element('span', Array.isArray(value) ? 'an empty list' : 'empty')
    if (depth >= SHOWN_LEVELS)
      return this.#make('code', { class: 'approval-value' }, [printableText(JSON.stringify(value))])
    if (!Array.isArray(value))
      return this.list(entries.map(([name, each]) => [name, this.value(each, depth + 1)]))
    const items = value.map((each) => this.#element('li', this.value(each, depth + 1)))
    return this.#make('ol', { class: 'approval-values' }, items)
  }

  #decision({ decidedBy, decidedByIssuer, verdict, comment, decidedAt }: ApprovalDecision): Node {
    const said =
      comment === '' ? [] : [this.#make('p', { class: 'approval-comment' }, [printableText(comment)])]
    const who = this.#element('strong', this.#person(decidedBy, decidedByIssuer))
    return this.#element(
      'li',
      who,
      ` ${verdict} `,
      ...(decidedAt === '' ? [] : [this.#time(decidedAt)]),
      ...said,
    )
  }

  /** A name is unique only at its issuer. */
  #person(subject: string, issuer: string): Node {
    const at =
      issuer === ''
        ? []
        : [this.#make('span', { class: 'approval-issuer' }, [printableText(` at ${issuer}`)])]
    return this.#element('span', this.#element('span', subject), ...at)
  }

  /** The calls from the first caller to the operation. */
  #way({ via, requester, operation }: Approval): Node {
    const calls = [...via, `${requester} called ${operation}`]
    return this.#make(
      'ol',
      { class: 'approval-way' },
      calls.map((call) => this.#element('li', call)),
    )
  }

  /** A point in time, in the form of the reader's language. */
  #time(iso: string): Node | string {
    const date = new Date(iso)
    if (Number.isNaN(date.getTime())) return printableText(iso)
    const text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
    // Several languages put blanks into it that would be shown as their codes.
    return this.#make('time', { datetime: iso }, [text.replaceAll(/\p{Zs}/gu, ' ')])
  }

  #heading(below: 0 | 1, text: string): Node {
    return this.#make(`h${this.#level + below}`, {}, [text])
  }

  #element(name: string, ...children: readonly (Node | string)[]): Node {
    const shown = children.map((child) => (typeof child === 'string' ? printableText(child) : child))
    return this.#make(name, {}, shown)
  }
}
