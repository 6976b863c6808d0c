import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Provider } from 'oidc-provider'
import { demoUsers } from './demo-users.ts'
import {
  addDevelopmentGrant,
  DEVELOPMENT_CLIENT,
  DEVELOPMENT_GRANT,
  type People,
  userClaims,
} from './development-grant.ts'
import { createIssuer } from './issuer.ts'
import { openClientStore } from './registered-clients.ts'
import { addSignIn, gatewayClient, type SignInOptions, signInSettings } from './sign-in.ts'
import { loadSigningKeys } from './signing-keys.ts'
import { recordTokens, type TokenRecords } from './token-records.ts'

/** The options of the identity provider. */
export interface IdentityOptions {
  /** 0 picks a free port. */
  readonly port: number
  /** The folder for keys. Without it, tokens are not valid after a restart. */
  readonly dataFolder?: string | undefined
  /** The secrets of the service accounts, by client id. */
  readonly serviceAccounts: ReadonlyMap<string, string>
  readonly records?: TokenRecords | undefined
  /** The people known by name; those of the reference stack by default. */
  readonly people?: People | undefined
  /** The address of an MCP endpoint. With it clients can register themselves, and every token of a person is good for that address. */
  readonly mcpResource?: string | undefined
}

/** A listening identity provider. */
export interface Identity {
  /** The issuer of users' tokens. */
  readonly issuer: string
  /** The issuer of the agents' tokens. */
  readonly serviceAccountIssuer: string
  close(): void
}

// The development grant needs no password, so it must not be reachable from other machines.
const HOST = '127.0.0.1'
const SERVICE_ACCOUNTS_PATH = '/service-accounts'
// Tokens last for a working day, also across restarts, because the keys are stored.
const USER_TOKEN_SECONDS = 8 * 60 * 60
const SERVICE_TOKEN_SECONDS = 10 * 60
const MISDIRECTED_REQUEST = 421

/** Starts both issuers on one port: one for users, one for service accounts, each with its own keys. */
export async function startIdentity(options: IdentityOptions): Promise<Identity> {
  const { promise: listener, resolve: serveWith } = Promise.withResolvers<RequestListener>()
  const server = createServer(
    (request, response) => void listener.then((answer) => answer(request, response)),
  )
  const port = await listen(server, options.port)
  const issuer = `http://${HOST}:${port}`
  const signIn = await signInOptions(options)
  const [users, serviceAccounts] = await Promise.all([
    createUserIssuer(issuer, options, signIn),
    createServiceAccountIssuer(`${issuer}${SERVICE_ACCOUNTS_PATH}`, options),
  ])
  serveWith(refuseOtherHosts(port, toEither({ users, serviceAccounts, people: peopleOf(options) })))
  return {
    issuer,
    serviceAccountIssuer: serviceAccounts.issuer,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function signInOptions(options: IdentityOptions): Promise<SignInOptions> {
  const { mcpResource: resource, dataFolder } = options
  return { resource, people: peopleOf(options), clients: await openClientStore(dataFolder) }
}

async function createUserIssuer(
  issuer: string,
  options: IdentityOptions,
  signIn: SignInOptions,
): Promise<Provider> {
  const { dataFolder, records, serviceAccounts } = options
  const provider = createIssuer({
    issuer,
    keys: await loadSigningKeys(dataFolder, 'users'),
    clients: [
      {
        client_id: DEVELOPMENT_CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: [DEVELOPMENT_GRANT],
        redirect_uris: [],
        response_types: [],
      },
      gatewayClient,
    ],
    tokenSeconds: USER_TOKEN_SECONDS,
    claims: userClaims(peopleOf(options)),
    settings: signInSettings(signIn),
  })
  addSignIn(provider, signIn)
  addDevelopmentGrant(provider, (sub) => serviceAccounts.has(sub))
  if (records !== undefined) recordTokens(provider, records)
  return provider
}

async function createServiceAccountIssuer(issuer: string, options: IdentityOptions): Promise<Provider> {
  const { dataFolder, records, serviceAccounts } = options
  const provider = createIssuer({
    issuer,
    keys: await loadSigningKeys(dataFolder, 'service-accounts'),
    clients: [...serviceAccounts].map(([id, secret]) => ({
      client_id: id,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    tokenSeconds: SERVICE_TOKEN_SECONDS,
  })
  if (records !== undefined) recordTokens(provider, records)
  return provider
}

/** Checks the Host header. A web page whose name resolves to this machine (DNS rebinding) must not get tokens. */
function refuseOtherHosts(port: number, next: RequestListener): RequestListener {
  const ours = new Set([`${HOST}:${port}`, `localhost:${port}`])
  return function answerOurHost(request, response) {
    if (ours.has(request.headers.host ?? '')) next(request, response)
    else response.writeHead(MISDIRECTED_REQUEST).end()
  }
}

function peopleOf({ people = demoUsers }: IdentityOptions): People {
  return people
}

interface Answering {
  readonly users: Provider
  readonly serviceAccounts: Provider
  readonly people: People
}

function toEither({ users, serviceAccounts, people }: Answering): RequestListener {
  const [answerUsers, answerServiceAccounts] = [users.callback(), serviceAccounts.callback()]
  const list = JSON.stringify([...people].map(([sub, user]) => ({ sub, ...user })))
  return function answer(request, response) {
    if (request.url === '/healthz') {
      response.end('ok\n')
      return
    }
    if (request.url === '/people') {
      response.end(list)
      return
    }
    void (isBelow(request, SERVICE_ACCOUNTS_PATH) ? answerServiceAccounts : answerUsers)(request, response)
  }
}

/** Removes the path prefix as `app.use(path, …)` does, and keeps the full path for oidc-provider. */
function isBelow(request: IncomingMessage & { originalUrl?: string }, path: string): boolean {
  const { url = '' } = request
  if (!url.startsWith(`${path}/`)) return false
  request.originalUrl = url
  request.url = url.slice(path.length)
  return true
}
