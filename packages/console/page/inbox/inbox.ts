import {
  type ApprovalService,
  type ApprovalVerb,
  closedStates,
  findServices,
  type Listed,
  type ListedState,
  mergeSources,
  ownerOf,
  type Source,
} from '@agentic-rest/profile/approval'
import { adminApi } from '../api/admin-api.ts'
import { sendAsMe } from '../api/as-me.ts'
import type { GatewayInfo, Person } from '../api/bodies.ts'
import { keep, readKept } from '../shell/kept.ts'
import { createStore, type Store } from '../shell/store.ts'
import { messageOf } from '../shell/use-load.ts'
import { type InboxApi, inboxApi } from './inbox-api.ts'
import { MAX_PAGES, type Reader, readListed, readSource, type Who } from './read-sources.ts'
import { configuredOwnerOf } from './token-owner.ts'

/** The state of the inbox. It survives a change of the view, because the navigation shows the count. */
export interface InboxState {
  readonly who: Who | undefined
  /** Why there is no token or no list of services; empty for no error. */
  readonly fault: string
  /** Undefined until the routes are read. */
  readonly services: readonly ApprovalService[] | undefined
  readonly sources: readonly Source[]
  readonly opened: Opened | undefined
  /** The number of pages to read of each source. */
  readonly pages: number
}

/** The approval of the address. */
export interface Opened {
  readonly approvalId: string
  readonly listed: Listed | undefined
  /** Whether the services were asked for it. */
  readonly isRead: boolean
}

/** The shown parts: the lists of decided approvals beside the open ones, and one approval. */
export interface Shown {
  readonly hasClosed: boolean
  readonly approvalId: string
}

/** The parts outside of the inbox. */
export interface InboxParts {
  readonly admin: Pick<typeof adminApi, 'gateway' | 'routes' | 'token'>
  readonly api: InboxApi
  readonly now: () => number
}

const browserParts: InboxParts = { admin: adminApi, api: inboxApi, now: Date.now }
const KEPT = 'inbox'
const first: InboxState = {
  who: undefined,
  fault: '',
  services: undefined,
  sources: [],
  opened: undefined,
  pages: 1,
}

/** The inbox over all services. */
export class Inbox {
  readonly #parts: InboxParts
  readonly #store: Store<InboxState> = createStore(first)
  #shown: Shown = { hasClosed: false, approvalId: '' }
  #reading: Promise<void> | undefined
  // Counts the people, so that an answer for an earlier one is dropped.
  #turn = 0
  readonly get = this.#store.get
  readonly subscribe = this.#store.subscribe

  constructor(parts: InboxParts = browserParts) {
    this.#parts = parts
  }

  /** Continues as the person of the session, or as the person of development that was chosen before a reload. */
  resume = ({
    people,
    user,
    signIn,
    gatewayUrl,
  }: Pick<GatewayInfo, 'people' | 'user' | 'signIn' | 'gatewayUrl'>): void => {
    if (signIn && user !== null && this.get().who === undefined)
      void this.#become(async () => whoIsSignedIn(user, gatewayUrl))
    const kept = people.find(({ sub }) => sub === readKept(KEPT))
    if (kept !== undefined && this.get().who === undefined) void this.choosePerson(kept)
  }

  /** Continues as a person of development. */
  choosePerson(person: Person): Promise<void> {
    const becoming = this.#become(() => whoIsPerson(this.#parts, person))
    keep(KEPT, person.sub)
    return becoming
  }

  /** Continues as the owner of a token. */
  useToken(token: string, tenant: string): Promise<void> {
    return this.#become(() => whoHasToken(this.#parts, token, tenant))
  }

  /** Forgets the person, the token and all approvals. */
  forget = (): void => {
    this.#turn += 1
    this.#reading = undefined
    keep(KEPT, '')
    this.#store.set(first)
  }

  /** Changes the shown parts and reads them. */
  show(next: Shown): void {
    const before = this.#shown
    this.#shown = next
    if (next.approvalId === before.approvalId && next.hasClosed === before.hasClosed) return
    if (next.approvalId !== before.approvalId) this.#change({ opened: openedFirst(next, this.get().sources) })
    void this.#readAgain()
  }

  /** Reads everything shown again, unless a reading still runs. */
  refresh = (): Promise<void> => {
    const { who } = this.get()
    if (who === undefined) return Promise.resolve()
    if (this.#reading !== undefined) return this.#reading
    const started = this.#readAll(who).finally(() => {
      if (this.#reading === started) this.#reading = undefined
    })
    this.#reading = started
    return started
  }

  /** Reads one more page of each source. */
  showMore = (): void => {
    this.#change({ pages: Math.min(MAX_PAGES, this.get().pages + 1) })
    void this.#readAgain()
  }

  /** Decides or withdraws, and reads the lists again; throws an `Error` with a message to show. */
  async act({ approval, service }: Listed, verb: ApprovalVerb, comment: string): Promise<void> {
    const turn = this.#turn
    const { who } = this.get()
    if (who === undefined) return
    const after = await this.#parts.api.act(who.access, service, { verb, approval, comment })
    if (turn !== this.#turn) return
    this.#found({ approval: after, service })
    void this.#readAgain()
  }

  async #become(findWho: () => Promise<Who>): Promise<void> {
    this.forget()
    const turn = this.#turn
    try {
      const who = await findWho()
      if (turn !== this.#turn) return
      this.#change({ who, opened: openedFirst(this.#shown, []) })
      await this.refresh()
    } catch (error) {
      if (turn === this.#turn) this.#change({ fault: messageOf(error) })
    }
  }

  // A reading that still runs does not know the change.
  async #readAgain(): Promise<void> {
    await this.#reading
    await this.refresh()
  }

  async #readAll(who: Who): Promise<void> {
    const turn = this.#turn
    const { admin, api, now } = this.#parts
    const reader: Reader = { api, who, now, isCurrent: () => turn === this.#turn }
    try {
      const services = findServices((await admin.routes()).routes)
      if (!reader.isCurrent()) return
      const ids = new Set(services.map(({ routeId }) => routeId))
      const sources = this.get().sources.filter(({ service }) => ids.has(service.routeId))
      this.#change({ services, sources, fault: '' })
      const states: readonly ListedState[] = ['pending', ...(this.#shown.hasClosed ? closedStates : [])]
      const readings = services.flatMap((service) =>
        states.map((state) => this.#readPart(reader, { service, state })),
      )
      await Promise.all([...readings, this.#readOpened(reader, services)])
    } catch (error) {
      if (reader.isCurrent()) this.#change({ fault: messageOf(error) })
    }
  }

  async #readPart(reader: Reader, part: Part): Promise<void> {
    const { sources, pages } = this.get()
    const isPart = isSame(part)
    const before = sources.find(isPart) ?? { ...part, approvals: [], hasMore: false, fault: '' }
    const source = await readSource(reader, before, pages)
    if (!reader.isCurrent()) return
    this.#change({ sources: [...this.get().sources.filter((each) => !isPart(each)), source] })
  }

  async #readOpened(reader: Reader, services: readonly ApprovalService[]): Promise<void> {
    const { opened } = this.get()
    if (opened === undefined) return
    const { approvalId, listed } = opened
    const found = await readListed(reader, listed === undefined ? services : [listed.service], approvalId)
    if (!reader.isCurrent()) return
    if (found !== undefined) this.#found(found)
    else if (this.get().opened === opened) this.#change({ opened: { ...opened, isRead: true } })
  }

  /** Shows the newest form of an approval, if it is still the opened one. */
  #found(listed: Listed): void {
    const { opened } = this.get()
    const { approvalId } = listed.approval
    if (opened?.approvalId === approvalId) this.#change({ opened: { approvalId, listed, isRead: true } })
  }

  #change(part: Partial<InboxState>): void {
    this.#store.set({ ...this.get(), ...part })
  }
}

function whoIsSignedIn({ subject, name }: NonNullable<GatewayInfo['user']>, baseUrl: string): Who {
  const access = { baseUrl, token: undefined, tenant: '', fetch: sendAsMe }
  return { access, me: { subject, issuer: undefined }, name }
}

async function whoIsPerson({ admin }: InboxParts, person: Person): Promise<Who> {
  const [{ gatewayUrl }, given] = await Promise.all([admin.gateway(), admin.token(person)])
  let { token } = given
  // Called again with a token that was not accepted, for example because it has expired.
  async function source(rejected?: string): Promise<string> {
    if (rejected !== undefined) token = (await admin.token(person)).token
    return token
  }
  const me = { subject: person.sub, issuer: ownerOf(token).issuer }
  return { access: { baseUrl: gatewayUrl, token: source, tenant: person.tenant }, me, name: person.sub }
}

async function whoHasToken({ admin }: InboxParts, token: string, tenant: string): Promise<Who> {
  const [{ gatewayUrl }, { plugins }] = await Promise.all([admin.gateway(), admin.routes()])
  const me = configuredOwnerOf(token, plugins)
  return { access: { baseUrl: gatewayUrl, token, tenant }, me, name: me.subject ?? '' }
}

type Part = Pick<Source, 'service' | 'state'>

function isSame(part: Part): (source: Source) => boolean {
  return ({ service, state }) => service.routeId === part.service.routeId && state === part.state
}

function openedFirst({ approvalId }: Shown, sources: readonly Source[]): Opened | undefined {
  if (approvalId === '') return undefined
  const listed = mergeSources(sources).find(({ approval }) => approval.approvalId === approvalId)
  return { approvalId, listed, isRead: false }
}
