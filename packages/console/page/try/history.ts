import { fillTemplate, headerKeys, parseJson } from '@agentic-rest/profile'
import type { Route } from '../api/bodies.ts'
import { fieldsOf, listOf, numberOrNull, textOf } from '../api/read-json.ts'
import { createStore, type Store } from '../shell/store.ts'
import { ANY_ROUTE, type Draft, parseDraft, writeDraft } from './draft.ts'

/** A sent request of the history. */
export interface HistoryEntry {
  readonly id: string
  readonly at: string
  readonly method: string
  /** The path with its values, and the query. */
  readonly path: string
  /** The last answer, if there was one. */
  readonly status: number | undefined
  readonly outcome: string
  /** The form, as `writeDraft` writes it, without secrets. */
  readonly draft: string
}

/** The last requests of this browser, newest first. */
export interface History extends Pick<Store<readonly HistoryEntry[]>, 'get' | 'subscribe'> {
  add(entry: HistoryEntry): void
  /** Notes the answer to a request. */
  answered(id: string, answer: Pick<HistoryEntry, 'status' | 'outcome'>): void
  clear(): void
}

/** The part of the storage of a browser that the history uses. */
export type HistoryStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const KEY = 'console.history'
const MAX_ENTRIES = 50
const MAX_BODY_LENGTH = 16_000
const MAX_LENGTH = 250_000

/** Opens the history. A browser may forbid storage, or it is full; then the history lasts until the page is closed. */
export function createHistory(storage: () => HistoryStorage): History {
  const attempt = <T>(action: (storage: HistoryStorage) => T, fallback: T): T => {
    try {
      return action(storage())
    } catch {
      return fallback
    }
  }
  let isStored = true
  // Another tab may have added requests since. A storage that refused the last entries does not have them.
  const read = () =>
    isStored ? attempt((kept) => parseHistory(kept.getItem(KEY) ?? ''), store.get()) : store.get()
  const write = (entries: readonly HistoryEntry[]) => {
    isStored = attempt((kept) => {
      kept.setItem(KEY, JSON.stringify(entries))
      return true
    }, false)
    store.set(entries)
  }
  const store = createStore<readonly HistoryEntry[]>([])
  store.set(read())
  return {
    get: store.get,
    subscribe: store.subscribe,
    add: (entry) => write(bound([entry, ...read()])),
    answered: (id, answer) =>
      write(read().map((entry) => (entry.id === id ? { ...entry, ...answer } : entry))),
    clear() {
      attempt((kept) => kept.removeItem(KEY), undefined)
      isStored = true
      store.set([])
    },
  }
}

/** The newest entries that fit into the bounds. */
export function bound(entries: readonly HistoryEntry[]): HistoryEntry[] {
  let length = 0
  return entries.slice(0, MAX_ENTRIES).filter((entry) => {
    length += JSON.stringify(entry).length
    return length <= MAX_LENGTH
  })
}

/** Reads the stored history; unreadable entries are left out. */
export function parseHistory(text: string): HistoryEntry[] {
  const entries = listOf(
    new Map([['entries', parseJson(text, { isMessage: true }).value]]),
    'entries',
    function readEntry(value) {
      const fields = fieldsOf(value)
      return {
        id: textOf(fields, 'id'),
        at: textOf(fields, 'at'),
        method: textOf(fields, 'method'),
        path: textOf(fields, 'path'),
        status: numberOrNull(fields, 'status') ?? undefined,
        outcome: textOf(fields, 'outcome'),
        draft: textOf(fields, 'draft'),
      }
    },
  )
  return entries
    .filter(({ id, method, draft }) => id !== '' && method !== '' && draft !== '')
    .slice(0, MAX_ENTRIES)
}

/** A request of the form as an entry. */
export interface SentDraft {
  readonly draft: Draft
  readonly route: Pick<Route, 'method' | 'path'>
  /** The token of the sender, which no entry may contain. */
  readonly token: string
}

/** Makes the entry of a request. It never contains a token, whatever field it was written into. */
export function makeEntry({ draft, route, token }: SentDraft, at: string): HistoryEntry {
  const clean = withoutSecrets(draft, token)
  const path = fillTemplate(route.path, (name) => clean.params.get(name) ?? '')
  const query = clean.query.trim().replace(/^\?/, '')
  return {
    // Two tabs may send in the same millisecond. `randomUUID` exists only on https and this machine.
    id: `${at} ${Math.random()}`,
    at,
    method: route.method,
    path: query === '' ? path : `${path}?${query}`,
    status: undefined,
    outcome: '',
    draft: writeDraft(clean),
  }
}

/** The form of an entry. The request of a removed route stays a request to its method and path. */
export function restoredDraft({ draft, method, path }: HistoryEntry, routes: readonly Route[]): Draft {
  const kept = parseDraft(draft)
  if (kept.routeId === ANY_ROUTE || routes.some(({ id }) => id === kept.routeId)) return kept
  return { ...kept, routeId: ANY_ROUTE, method, path: path.replace(/\?.*$/, '') }
}

const HIDDEN = '[hidden]'
const SECRET_NAME = new RegExp(
  `token|secret|password|passwd|${headerKeys.authorization}|cookie|credential|api[-_]?key`,
  'i',
)
const TOKEN_TEXT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/gi

/** The form with tokens replaced, and without a very long body. */
export function withoutSecrets(draft: Draft, token: string): Draft {
  const clean = (text: string) => {
    const own = token === '' ? text : text.replaceAll(token, HIDDEN)
    return own.replace(TOKEN_TEXT, HIDDEN)
  }
  const named = (texts: ReadonlyMap<string, string>) =>
    new Map([...texts].map(([name, text]) => [name, SECRET_NAME.test(name) ? HIDDEN : clean(text)]))
  return {
    ...draft,
    path: clean(draft.path),
    params: named(draft.params),
    query: cleanQuery(clean(draft.query)),
    headers: named(draft.headers),
    body: draft.body.length > MAX_BODY_LENGTH ? '' : cleanBody(clean(draft.body)),
    idempotencyKey: clean(draft.idempotencyKey),
    correlationId: clean(draft.correlationId),
  }
}

function cleanQuery(query: string): string {
  if (!SECRET_NAME.test(query)) return query
  const search = new URLSearchParams(query)
  for (const name of new Set(search.keys())) if (SECRET_NAME.test(name)) search.set(name, HIDDEN)
  return String(search)
}

/** Hides members with the name of a secret. Counts such as `max_tokens` are numbers and stay. */
function cleanBody(body: string): string {
  if (!SECRET_NAME.test(body)) return body
  const { value } = parseJson(body)
  // A text that is not JSON may hold a secret anywhere.
  if (value === undefined) return ''
  return JSON.stringify(
    value,
    (name, member: unknown) =>
      SECRET_NAME.test(name) && typeof member !== 'number' && typeof member !== 'boolean' ? HIDDEN : member,
    2,
  )
}
