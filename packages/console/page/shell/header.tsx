import type { AdminReading } from '@agentic-rest/profile/admin'
import { countWaiting } from '@agentic-rest/profile/approval'
import { useState } from 'preact/hooks'
import { adminApi } from '../api/admin-api.ts'
import type { GatewayInfo } from '../api/bodies.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Feed } from '../live/feed.ts'
import { placeHash, type View, views } from './place.ts'
import { useStore } from './store.ts'
import { applyTheme, readTheme, type Theme, themes } from './theme.ts'
import { messageOf, useLoad } from './use-load.ts'

interface HeaderProps {
  readonly view: View
  readonly feed: Feed
  readonly inbox: Inbox
  /** Opens the list of the keys. */
  onKeys(): void
  /** Removes the traces of this person in the browser. */
  onSignOut(): void
}

/** The header: name, the views, state of the connection, signed-in person, keys and theme. */
export function Header({ view, feed, inbox, onKeys, onSignOut }: HeaderProps) {
  const [gateway] = useLoad(adminApi.gateway)
  const info = gateway.state === 'ready' ? gateway.value : undefined
  return (
    <header class="top">
      <a class="brand" href={placeHash({ view: 'Live', item: '' })} aria-label="Agentic REST console">
        <Mark />
        <span>
          Agentic REST <em>console</em>
        </span>
      </a>
      <nav aria-label="Views">
        {views.map((each) => (
          <a
            key={each}
            href={placeHash({ view: each, item: '' })}
            aria-current={each === view ? 'page' : undefined}
          >
            {each}
            {each === 'Inbox' && <WaitingCount inbox={inbox} />}
          </a>
        ))}
      </nav>
      <div class="top-end">
        {info !== undefined && <About gateway={info} />}
        <Connection feed={feed} />
        {info?.user && <Account user={info.user} onSignOut={onSignOut} />}
        <button type="button" class="keys-button" aria-label="Keys" title="Keys" onClick={onKeys}>
          ?
        </button>
        <ThemeChoice />
      </div>
    </header>
  )
}

/** The number of approvals that wait for the person of the inbox. */
function WaitingCount({ inbox }: { readonly inbox: Inbox }) {
  const { who, sources } = useStore(inbox)
  const count = who === undefined ? '' : countWaiting(sources, { me: who.me, now: Date.now() })
  if (count === '') return null
  return (
    <span class="count" title="Approvals that wait for you">
      {count}
    </span>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <path d="M8 16h7M15 16l8-7M15 16l8 7" class="mark-lines" />
      <circle cx="8" cy="16" r="3.4" />
      <circle cx="24" cy="9" r="3.4" />
      <circle cx="24" cy="23" r="3.4" />
    </svg>
  )
}

function About({ gateway: { version, profile, development } }: { readonly gateway: GatewayInfo }) {
  return (
    <span class="about">
      gateway {version} · profile {profile}
      {development && ' · development'}
    </span>
  )
}

interface AccountProps {
  readonly user: AdminReading<'User'>
  onSignOut(): void
}

function Account({ user: { name, subject }, onSignOut }: AccountProps) {
  const [fault, setFault] = useState('')
  async function signOut(): Promise<void> {
    try {
      const next = await adminApi.signOut()
      onSignOut()
      // Without a provider to go to, the gateway answers with the sign-in page.
      if (next === undefined) location.reload()
      else location.assign(next)
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  return (
    <span class="account">
      <span class="account-name" title={name === subject ? `Signed in as ${name}` : `${name} (${subject})`}>
        {name}
      </span>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
      {fault !== '' && (
        <span class="field-fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  )
}

const connectionWords = {
  connecting: 'Connecting',
  open: 'Connected',
  silent: 'No answer',
  lost: 'Disconnected',
  signedOut: 'Signed out',
} as const

function Connection({ feed }: { readonly feed: Feed }) {
  const { connection } = useStore(feed)
  return (
    <span class={`connection ${connection}`} role="status">
      <span class="connection-word">{connectionWords[connection]}</span>
    </span>
  )
}

const themeWords: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' }

function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme)
  function choose(next: Theme): void {
    applyTheme(next)
    setTheme(next)
  }
  return (
    <select
      class="theme"
      aria-label="Theme"
      value={theme}
      onChange={(event) => choose(event.currentTarget.value as Theme)}
    >
      {themes.map((each) => (
        <option key={each} value={each}>
          {themeWords[each]}
        </option>
      ))}
    </select>
  )
}
