import type { AuditEvent } from '@agentic-rest/profile'
import type { GatewaySection } from '../config/config-schema.ts'
import { sessionSecretsOf, withSecrets } from '../config/secret-files.ts'
import type { Exchange } from '../exchange.ts'
import { Provider } from './provider.ts'
import { Seal } from './seal.ts'
import type { SessionListener, SessionStore } from './session-store.ts'
import { Sessions } from './sessions.ts'
import { SignIn, type SignInOptions } from './sign-in.ts'

/** The sessions of one listener, and the way to sign in, where there is one. */
export interface People {
  readonly sessions: Sessions
  readonly signIn: SignIn | undefined
}

/** What the sessions of a configuration are made with. */
export interface PeopleWorld extends Pick<SignInOptions, 'limits' | 'validator' | 'clientAddress' | 'log'> {
  readonly sessionStore: SessionStore
  /** Seals the cookies without files for it. */
  readonly sessionSecret: string
  readonly audit: ((event: AuditEvent, exchange: Exchange) => void) | undefined
}

/** Makes the sessions of both listeners, with one provider. */
export function createPeople(gateway: GatewaySection, world: PeopleWorld) {
  const { sign_in, admin } = gateway
  const section = sign_in && withSecrets(sign_in, ['gateway', 'sign_in'])
  const provider = section && new Provider({ section, clientSecret: section.client_secret })
  // Not awaited: a provider that is away delays no start.
  void provider?.warm()
  const seal = new Seal(sessionSecretsOf(gateway, world.sessionSecret))
  const seconds = section && section.session_hours * 3600
  const store = world.sessionStore
  const of = (listener: SessionListener, publicUrl: string | undefined): People => {
    const audit = section && world.audit
    const sessions = new Sessions({ listener, seal, store, seconds, publicUrl, provider, audit })
    const own = { ...world, listener, sessions, store, publicUrl }
    return { sessions, signIn: provider && new SignIn({ ...own, provider }) }
  }
  return {
    listeners: { main: of('main', sign_in?.public_url), admin: of('admin', admin?.public_url) },
    warm: () => provider?.warm(),
    degraded: () => provider?.degraded(),
  }
}
