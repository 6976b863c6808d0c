import {
  closedStates,
  countWaiting,
  faultsOf,
  type Listed,
  type ListName,
  type Look,
  listNames,
  listWords,
  mergeSources,
  pickList,
  readListName,
} from '@agentic-rest/profile/approval'
import { useEffect } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import { LoadFault } from '../shell/load-fault.tsx'
import { Empty, Notice } from '../shell/notice.tsx'
import { placeHash } from '../shell/place.ts'
import { useStore } from '../shell/store.ts'
import { useLoad } from '../shell/use-load.ts'
import { ApprovalPanel } from './approval-panel.tsx'
import { approvalView } from './approval-view.ts'
import type { Inbox, InboxState } from './inbox.ts'
import { MAX_PAGES, type Who } from './read-sources.ts'
import { WhoDecides } from './who-decides.tsx'

interface InboxProps {
  readonly inbox: Inbox
  /** The opened approval; empty for none. */
  readonly approvalId: string
  /** The query of the address with the name of the list. */
  readonly query: string
}

/** The approvals of all services: those that wait for the person, its own, and the decided ones. */
export function InboxView({ inbox, approvalId, query }: InboxProps) {
  const list = readListName(query)
  const state = useStore(inbox)
  const [gateway, reload] = useLoad(adminApi.gateway)
  useEffect(() => inbox.show({ hasClosed: list !== 'waiting', approvalId }), [inbox, list, approvalId])
  return (
    <div class="inbox">
      {gateway.state === 'loading' && <p class="note">Reading the gateway…</p>}
      {gateway.state === 'failed' && <LoadFault message={gateway.message} onRetry={reload} />}
      {gateway.state === 'ready' && <WhoDecides people={gateway.value.people} {...{ inbox, state }} />}
      {state.who !== undefined && <Lists who={state.who} {...{ inbox, state, list, approvalId }} />}
    </div>
  )
}

interface ListsProps {
  readonly inbox: Inbox
  readonly state: InboxState
  readonly who: Who
  readonly list: ListName
  readonly approvalId: string
}

function Lists({ inbox, state, who, list, approvalId }: ListsProps) {
  const { services, sources, opened } = state
  if (services === undefined) return <p class="note">Reading the approvals…</p>
  if (services.length === 0) return <NoServices />
  const look = { me: who.me, now: Date.now() }
  return (
    <>
      <Tabs list={list} count={countWaiting(sources, look)} />
      {faultsOf(sources).map(({ service, fault }) => (
        <Notice key={service.routeId} kind="fault" title={`${service.path}: ${fault}`}>
          <p class="note">
            The route {service.routeId}. Its approvals are missing or old; the page asks again by itself.
          </p>
        </Notice>
      ))}
      <div class={`inbox-parts ${opened === undefined ? '' : 'has-opened'}`.trim()}>
        <ApprovalList {...{ inbox, state, list, look, approvalId }} />
        {opened !== undefined && (
          <ApprovalPanel key={opened.approvalId} {...{ inbox, opened, list, look, who }} />
        )}
      </div>
    </>
  )
}

function NoServices() {
  return (
    <Empty title="No service has a list of approvals.">
      <p>
        The page looks for routes with the method GET and a path that ends with <code>/approvals</code>.{' '}
        <code>npx agentic routes add</code> writes them for services with approvals.
      </p>
    </Empty>
  )
}

function Tabs({ list, count }: { readonly list: ListName; readonly count: string }) {
  return (
    <nav class="inbox-tabs" aria-label="Lists of approvals">
      {listNames.map((name) => (
        <a
          key={name}
          href={placeHash({ view: 'Inbox', item: '', query: queryOf(name) })}
          aria-current={name === list ? 'true' : undefined}
        >
          {listWords[name].title}
          {name === 'waiting' && count !== '' && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}

function queryOf(list: ListName): string {
  return list === 'waiting' ? '' : `list=${list}`
}

interface ListProps extends Pick<ListsProps, 'inbox' | 'state' | 'list' | 'approvalId'> {
  readonly look: Look
}

function ApprovalList({ inbox, state: { services, sources, pages }, list, look, approvalId }: ListProps) {
  const picked = pickList(mergeSources(sources), list, look)
  const sourceCount = (services?.length ?? 0) * (list === 'waiting' ? 1 : 1 + closedStates.length)
  const isComplete = sources.length >= sourceCount
  const hasMore = sources.some((each) => each.hasMore && (list !== 'waiting' || each.state === 'pending'))
  return (
    <section class="panel inbox-list" aria-label={listWords[list].title}>
      {picked.length === 0 &&
        (isComplete ? <Empty title={listWords[list].empty} /> : <p class="note">Reading the approvals…</p>)}
      <ul>
        {picked.map((each) => (
          <Row
            key={`${each.service.routeId} ${each.approval.approvalId}`}
            isOpen={each.approval.approvalId === approvalId}
            {...{ list, look, ...each }}
          />
        ))}
      </ul>
      {hasMore && pages < MAX_PAGES && (
        <button type="button" onClick={inbox.showMore}>
          Show more
        </button>
      )}
      {hasMore && pages >= MAX_PAGES && (
        <p class="note">The page lists no more. Decide some, or use npx agentic approvals.</p>
      )}
    </section>
  )
}

interface RowProps extends Listed {
  readonly list: ListName
  readonly look: Look
  readonly isOpen: boolean
}

function Row({ approval, service, list, look, isOpen }: RowProps) {
  return (
    <li>
      <a
        class="inbox-row"
        href={placeHash({ view: 'Inbox', item: approval.approvalId, query: queryOf(list) })}
        aria-current={isOpen ? 'true' : undefined}
      >
        {approvalView.row({ approval, service }, look.now)}
      </a>
    </li>
  )
}
