import { conditions, headers, parseJson } from '@agentic-rest/profile'
import {
  type Approval,
  ApprovalView,
  decisionBody,
  doneWords,
  isOpen,
  MAX_COMMENT,
  ownerOf,
  readApproval,
  stateOf,
  verbLabel,
  whyNotDecide,
  wordsOfState,
} from '@agentic-rest/profile/approval'
import { element } from './elements.ts'

// A page of another site cannot send this header without the permission of the gateway, which never gives it.
const pageHeaders = { 'X-Agentic-Page': 'approvals' }
const TENANT = 'agentic-approvals-tenant'
// The person of the session, so that a reload of this tab knows it. The token itself is kept nowhere.
const READER = 'agentic-approvals-reader'
// A decision that somebody else makes is seen within this time and one answer.
const LOOK_MS = 1500

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

function alertOf(message: string): HTMLElement {
  return element('p', { role: 'alert', id: 'told' }, [message])
}

/** Reads the approval and shows it. `refused` is the text for a token that is not accepted. */
async function load(refused?: string): Promise<void> {
  const { status, ok, body } = await send(location.pathname)
  if (ok) showApproval(readApproval(body))
  else showSignIn(status === conditions.unauthenticated ? refused : refusalText(status, body))
}

function refusalText(status: number, body: Answer['body']): string {
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
    element('button', { class: 'primary' }, ['Sign in']),
  ])
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    sessionStorage.setItem(TENANT, tenant.input.value.trim())
    void signIn(token.input.value.trim())
  })
  const why = element('p', {}, ['Sign in to see this approval and to decide it.'])
  show('Approval', [message === undefined ? why : alertOf(message), form])
  token.input.focus()
}

const REFUSED = 'The token was not accepted.'

async function signIn(token: string): Promise<void> {
  const { ok, status, body } = await send('session', {
    method: 'POST',
    headers: { [headers.authorization]: `Bearer ${token}` },
  })
  if (!ok) return showSignIn(status === conditions.unauthenticated ? REFUSED : textOf(body['message']))
  sessionStorage.setItem(READER, JSON.stringify(ownerOf(token)))
  await load(REFUSED)
}

async function signOut(): Promise<void> {
  await send('session', { method: 'DELETE' })
  sessionStorage.removeItem(READER)
  showSignIn()
}

const NEXT = 'The requester goes on by sending the request again with its approval token.'

/** Looks at an approval until it is over, and shows it again only if it has changed: a comment may be half written. */
function lookAgain(shown: Approval): void {
  if (!isOpen(shown.state)) return
  const left = new AbortController()
  document.getElementById('page')?.addEventListener('left', () => left.abort(), { once: true })
  const timer = setTimeout(async () => {
    const { ok, body } = document.hidden ? { ok: false, body: {} } : await send(location.pathname)
    const now = ok ? readApproval(body) : shown
    if (left.signal.aborted) return
    if (JSON.stringify(now) === JSON.stringify(shown)) return lookAgain(shown)
    const comment = document.querySelector<HTMLTextAreaElement>('#comment')?.value ?? ''
    showApproval(
      now,
      element('p', { role: 'status' }, [`Changed meanwhile: ${wordsOfState(now.state).title}.`]),
    )
    const field = document.querySelector<HTMLTextAreaElement>('#comment')
    if (field !== null) field.value = comment
  }, LOOK_MS)
  left.signal.addEventListener('abort', () => clearTimeout(timer))
}

/** Shows an approval, and the result of the last decision as `told`. */
function showApproval(approval: Approval, told?: HTMLElement): void {
  const out = element('button', { type: 'button', class: 'quiet' }, ['Sign out'])
  out.addEventListener('click', () => void signOut())
  const state = stateOf(approval, Date.now())
  show(wordsOfState(state).title, [
    ...(told === undefined ? [] : [told]),
    element('p', { class: 'message' }, [approval.message]),
    view.list(view.facts(approval, Date.now())),
    ...view.decisions(approval),
    view.request(approval),
    ...(state === 'approved' ? [element('p', {}, [NEXT])] : []),
    ...(state === 'pending' ? [decisionPart(approval)] : []),
    element('p', { class: 'foot' }, [out]),
  ])
  lookAgain(approval)
  // A screen reader goes on where the content has changed.
  const heading = document.querySelector('h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus()
}

/** The buttons, or the reason why there are none. */
function decisionPart(approval: Approval): HTMLElement {
  const reason = whyNotDecide(approval, Object(parseJson(sessionStorage.getItem(READER) ?? '{}').value))
  return reason === '' ? decisionForm(approval) : element('p', {}, [reason])
}

function decisionForm(approval: Approval): HTMLElement {
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
    if (ok) showApproval(readApproval(body), element('p', { role: 'status' }, [doneWords[verb]]))
    else if (status === conditions.unauthenticated) showSignIn('Your session has ended. Sign in again.')
    else await refuse(body)
  }
  async function refuse(body: Answer['body']): Promise<void> {
    const message = textOf(body['message'])
    // Somebody else has decided meanwhile, or it has expired: what is shown is old.
    const now = body['type'] === 'conflict' ? await send(location.pathname) : undefined
    if (now?.ok) return showApproval(readApproval(now.body), alertOf(message))
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

void load()
