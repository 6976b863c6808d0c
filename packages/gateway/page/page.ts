import { conditions, headers, parseJson } from '@agentic-rest/profile'
import {
  type Approval,
  type ApprovalService,
  ApprovalView,
  closedStates,
  countWaiting,
  decisionBody,
  doneWords,
  isOpen,
  type Listed,
  type ListedState,
  type ListName,
  listNames,
  listWords,
  MAX_COMMENT,
  mergeSources,
  pickList,
  readApproval,
  readApprovalPage,
  readListName,
  type Source,
  stateOf,
  type TokenOwner,
  verbLabel,
  whyNotDecide,
  wordsOfState,
} from '@agentic-rest/profile/approval'
import { element } from './elements.ts'

// A page of another site cannot send this header without the permission of the gateway, which never gives it.
const pageHeaders = { 'X-Agentic-Page': 'approvals' }
const TENANT = 'agentic-approvals-tenant'
const HOME = '/approvals'
const SESSION = `${HOME}/session`
// A decision that somebody else makes is seen within this time and one answer.
const LOOK_MS = 1500
const LIST_MS = 10_000
const MOST_PAGES = 10
const hasSignIn = document.documentElement.dataset['signIn'] !== undefined
const isInbox = location.pathname === HOME

const view = new ApprovalView<HTMLElement>({
  make: (name, attributes, children) => element(name as 'p', attributes, children),
  level: 2,
})

interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly body: Readonly<Record<string, unknown>>
}

async function send(path: string, init: RequestInit = {}): Promise<Answer> {
  const tenant = sessionStorage.getItem(TENANT) ?? ''
  const own = { ...pageHeaders, ...(tenant !== '' && { [headers.tenantId]: tenant }) }
  const options: RequestInit = {
    ...init,
    // The page has the same address: a cache must not mix them up.
    cache: 'no-store',
    redirect: 'error',
    headers: { Accept: 'application/json', ...own, ...init.headers },
  }
  try {
    const response = await fetch(path, options)
    const { value } = parseJson(await response.text(), { isMessage: true })
    return { status: response.status, ok: response.ok, body: Object(value) }
  } catch {
    return { status: 0, ok: false, body: { message: 'The gateway does not answer. Try again.' } }
  }
}

function show(title: string, children: readonly (Node | string)[]): void {
  const page = document.getElementById('page')
  // Ends the looks at what was shown before.
  page?.dispatchEvent(new Event('left'))
  document.title = title
  page?.replaceChildren(element('h1', {}, [title]), ...children)
  page?.removeAttribute('aria-busy')
}

/** Is aborted when something else is shown. */
function whenLeft(): AbortSignal {
  const left = new AbortController()
  document.getElementById('page')?.addEventListener('left', () => left.abort(), { once: true })
  return left.signal
}

function alertOf(message: string): HTMLElement {
  return element('p', { role: 'alert', id: 'told' }, [message])
}

/** The person of the session, as the gateway sees it, and the services with approvals. */
interface Reader extends TokenOwner {
  readonly name: string
  readonly services: readonly ApprovalService[]
}

/** Reads the session and what the address names. `refused` is the text for a token that is not accepted. */
async function load(refused?: string): Promise<void> {
  const { status, ok, body } = await send(SESSION)
  if (!ok) return showSignIn(status === conditions.unauthenticated ? refused : textOf(body['message']))
  const reader = body as unknown as Reader
  if (isInbox) return showInbox(reader)
  const approval = await send(location.pathname)
  if (approval.ok) showApproval(reader, readApproval(approval.body))
  else showSignIn(approval.status === conditions.unauthenticated ? refused : refusalText(approval))
}

function refusalText({ status, body }: Answer): string {
  if (status === conditions.not_found)
    return 'There is no such approval, or it is not for you to see. Sign in as somebody else to try again.'
  return textOf(body['message'])
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : 'The request failed.'
}

function field(name: string, label: string, attributes: Readonly<Record<string, string>>) {
  const input = element('input', { id: name, name, autocomplete: 'off', ...attributes })
  return { input, parts: [element('label', { for: name }, [label]), input] }
}

function showSignIn(message?: string): void {
  const invalid: Record<string, string> = message === undefined ? {} : { 'aria-describedby': 'told' }
  const token = field('token', 'Token', { type: 'password', required: '', ...invalid })
  const tenant = field('tenant', 'Tenant, if your token has several', { type: 'text' })
  tenant.input.value = sessionStorage.getItem(TENANT) ?? ''
  const form = element('form', {}, [
    ...token.parts,
    ...tenant.parts,
    element('button', { class: hasSignIn ? '' : 'primary' }, [hasSignIn ? 'Use this token' : 'Sign in']),
  ])
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    sessionStorage.setItem(TENANT, tenant.input.value.trim())
    void useToken(token.input.value.trim())
  })
  const why = isInbox ? 'your approvals and to decide them' : 'this approval and to decide it'
  const told = message === undefined ? element('p', {}, [`Sign in to see ${why}.`]) : alertOf(message)
  show(isInbox ? 'Approvals' : 'Approval', [told, ...(hasSignIn ? signInParts(form) : [form])])
  document.querySelector<HTMLElement>(hasSignIn ? 'a.primary' : '#token')?.focus()
}

function signInParts(form: HTMLElement): HTMLElement[] {
  const back = encodeURIComponent(`${location.pathname}${location.search}`)
  const link = element('a', { class: 'primary button', href: `/sign-in?return=${back}` }, ['Sign in'])
  const details = element('details', {}, [element('summary', {}, ['Use a token']), form])
  return [element('p', {}, [link]), details]
}

const REFUSED = 'The token was not accepted.'

async function useToken(token: string): Promise<void> {
  const { ok, status, body } = await send(SESSION, {
    method: 'POST',
    headers: { [headers.authorization]: `Bearer ${token}` },
  })
  if (!ok) return showSignIn(status === conditions.unauthenticated ? REFUSED : textOf(body['message']))
  await load(REFUSED)
}

/** Ends the session, and with a sign-in also the one at the provider. */
async function signOut(): Promise<void> {
  const { body } = hasSignIn
    ? await send('/sign-out', { method: 'POST' })
    : await send(SESSION, { method: 'DELETE' })
  if (typeof body['next'] === 'string') location.assign(body['next'])
  else showSignIn()
}

const ENDED = 'Your session has ended. Sign in again.'
const NEXT = 'The requester goes on by sending the request again with its approval token.'

/** Looks at an approval until it is over, and shows it again only if it has changed: a comment may be half written. */
function lookAgain(reader: Reader, shown: Approval): void {
  if (!isOpen(shown.state)) return
  const left = whenLeft()
  const timer = setTimeout(async () => {
    const { ok, status, body } = document.hidden ? none : await send(location.pathname)
    if (left.aborted) return
    if (status === conditions.unauthenticated) return showSignIn(ENDED)
    const now = ok ? readApproval(body) : shown
    if (JSON.stringify(now) === JSON.stringify(shown)) return lookAgain(reader, shown)
    const comment = document.querySelector<HTMLTextAreaElement>('#comment')?.value ?? ''
    const told = `Changed meanwhile: ${wordsOfState(now.state).title}.`
    showApproval(reader, now, element('p', { role: 'status' }, [told]))
    const field = document.querySelector<HTMLTextAreaElement>('#comment')
    if (field !== null) field.value = comment
  }, LOOK_MS)
  left.addEventListener('abort', () => clearTimeout(timer))
}

const none: Answer = { ok: false, status: 0, body: {} }

/** Who is signed in, the way to all approvals, and the button to sign out. */
function foot({ name }: Reader): HTMLElement {
  const out = element('button', { type: 'button', class: 'quiet' }, ['Sign out'])
  out.addEventListener('click', () => void signOut())
  const all = hasSignIn && !isInbox ? [element('a', { href: HOME }, ['All approvals']), ' · '] : []
  return element('p', { class: 'foot' }, [...all, ...(name === '' ? [] : [`${name} · `]), out])
}

/** Shows an approval, and the result of the last decision as `told`. */
function showApproval(reader: Reader, approval: Approval, told?: HTMLElement): void {
  const state = stateOf(approval, Date.now())
  show(wordsOfState(state).title, [
    ...(told === undefined ? [] : [told]),
    element('p', { class: 'message' }, [approval.message]),
    view.list(view.facts(approval, Date.now())),
    ...view.decisions(approval),
    view.request(approval),
    ...(state === 'approved' ? [element('p', {}, [NEXT])] : []),
    ...(state === 'pending' ? [decisionPart(reader, approval)] : []),
    foot(reader),
  ])
  lookAgain(reader, approval)
  // A screen reader goes on where the content has changed.
  const heading = document.querySelector('h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus()
}

/** The buttons, or the reason why there are none. */
function decisionPart(reader: Reader, approval: Approval): HTMLElement {
  const reason = whyNotDecide(approval, reader)
  return reason === '' ? decisionForm(reader, approval) : element('p', {}, [reason])
}

function decisionForm(reader: Reader, approval: Approval): HTMLElement {
  const comment = element('textarea', { id: 'comment', rows: '3', maxlength: String(MAX_COMMENT) })
  const buttons = (['approve', 'reject'] as const).map((verb) => {
    const button = element('button', { type: 'button', class: verb }, [verbLabel(approval, verb)])
    button.addEventListener('click', () => void decide(verb))
    return button
  })
  const refusal = element('p', { role: 'alert' })
  async function decide(verb: 'approve' | 'reject'): Promise<void> {
    for (const button of buttons) button.disabled = true
    refusal.textContent = ''
    const { status, ok, body } = await send(`${location.pathname}/${verb}`, {
      method: 'POST',
      headers: { [headers.contentType]: 'application/json' },
      body: JSON.stringify(decisionBody(approval, comment.value)),
    })
    if (ok) showApproval(reader, readApproval(body), element('p', { role: 'status' }, [doneWords[verb]]))
    else if (status === conditions.unauthenticated) showSignIn(ENDED)
    else await refuse(body)
  }
  async function refuse(body: Answer['body']): Promise<void> {
    const message = textOf(body['message'])
    // Somebody else has decided meanwhile, or it has expired: what is shown is old.
    const now = body['type'] === 'conflict' ? await send(location.pathname) : undefined
    if (now?.ok) return showApproval(reader, readApproval(now.body), alertOf(message))
    refusal.textContent = message
    for (const button of buttons) button.disabled = body['type'] === 'forbidden'
  }
  return element('section', { 'aria-label': 'Decision' }, [
    element('label', { for: 'comment' }, ['Comment, for the record']),
    comment,
    element('div', { class: 'buttons' }, buttons),
    refusal,
  ])
}

/** The inbox of a person: what waits, what it asked for, what is decided, of all services. */
function showInbox(reader: Reader): void {
  const list = readListName(location.search)
  const search = field('search', 'Search', { type: 'search' })
  const rows = element('ul', { class: 'inbox-list', 'aria-label': listWords[list].title })
  const told = element('p', { role: 'status', class: 'inbox-told' }, ['Reading the approvals…'])
  const tabs = element('nav', { class: 'inbox-tabs', 'aria-label': 'Lists of approvals' })
  show('Approvals', [tabs, ...search.parts, told, rows, foot(reader)])
  const left = whenLeft()
  let sources: readonly Source[] = []
  function draw(): void {
    const look = { me: reader, now: Date.now() }
    const count = countWaiting(sources, look)
    document.title = count === '' ? 'Approvals' : `(${count}) Approvals`
    tabs.replaceChildren(...listNames.map((name) => tabOf(name, name === list, count)))
    const found = pickList(mergeSources(sources), list, look).filter((each) =>
      isMeant(each, search.input.value),
    )
    rows.replaceChildren(
      ...found.map((each) =>
        element('li', {}, [
          element('a', { class: 'inbox-row', href: hrefOf(each) }, view.row(each, look.now)),
        ]),
      ),
    )
    const faults = sources
      .filter(({ fault }) => fault !== '')
      .map(({ service, fault }) => `${service.path}: ${fault}`)
    const empty = search.input.value === '' ? listWords[list].empty : 'Nothing fits the search.'
    told.textContent = faults[0] ?? (found.length === 0 ? empty : '')
  }
  async function refresh(): Promise<void> {
    const states = list === 'waiting' ? (['pending'] as const) : (['pending', ...closedStates] as const)
    const wanted = reader.services.flatMap((service) => states.map((state) => ({ service, state })))
    const read = await Promise.all(wanted.map(readSource))
    if (left.aborted) return
    if (read.includes(undefined)) return showSignIn(ENDED)
    sources = read.filter((source) => source !== undefined)
    draw()
  }
  search.input.addEventListener('input', draw)
  const timer = setInterval(() => document.hidden || void refresh(), LIST_MS)
  left.addEventListener('abort', () => clearInterval(timer))
  void refresh()
}

interface Wanted {
  readonly service: ApprovalService
  readonly state: ListedState
}

/** The approvals in one state of one service; undefined when the session has ended. */
async function readSource({ service, state }: Wanted): Promise<Source | undefined> {
  const approvals: Approval[] = []
  let cursor: string | undefined
  for (let page = 0; page < (state === 'pending' ? MOST_PAGES : 1); page++) {
    const query = new URLSearchParams({ state, limit: '50', ...(cursor !== undefined && { cursor }) })
    const { ok, status, body } = await send(`${service.path}?${query}`)
    if (status === conditions.unauthenticated) return undefined
    const read = ok ? readApprovalPage(body) : undefined
    if (read === undefined)
      return { service, state, approvals, hasMore: false, fault: textOf(body['message']) }
    approvals.push(...read.approvals)
    cursor = read.next
    if (cursor === undefined) break
  }
  return { service, state, approvals, hasMore: cursor !== undefined, fault: '' }
}

function tabOf(name: ListName, isCurrent: boolean, count: string): HTMLElement {
  const href = name === 'waiting' ? HOME : `${HOME}?list=${name}`
  const own = name === 'waiting' && count !== '' ? [' ', element('span', { class: 'count' }, [count])] : []
  return element('a', { href, ...(isCurrent && { 'aria-current': 'page' }) }, [listWords[name].title, ...own])
}

function hrefOf({ service, approval }: Listed): string {
  return `${service.path}/${encodeURIComponent(approval.approvalId)}`
}

function isMeant({ approval, service }: Listed, words: string): boolean {
  const { approvalId, message, operation, requester, requestedFor, request } = approval
  const text = JSON.stringify([
    approvalId,
    message,
    operation,
    requester,
    requestedFor,
    service.path,
    request,
  ])
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word))
}

void load()
