import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { schemaUrl } from './databases.ts'
import { type PartName, type PartRow, parts, portOf, urlOf, urlVariables } from './parts.ts'

/** The options of the parts' environment. */
export interface EnvironmentOptions {
  readonly portBase: number
  /** The folder for data; in memory when absent. */
  readonly dataFolder?: string | undefined
  /** The folder for the keys of the gateways; the data folder by default. */
  readonly keyFolder?: string | undefined
  /** A PostgreSQL server instead of embedded databases. */
  readonly databaseUrl?: string | undefined
  /** The static files of the console. Without them only its API is served. */
  readonly consoleFolder?: string | undefined
  /** The inherited environment. */
  readonly env: NodeJS.ProcessEnv
}

/** Creates the environment of each part, with new secrets for the service accounts. */
export function createPartEnvironment(options: EnvironmentOptions): (row: PartRow) => NodeJS.ProcessEnv {
  const accounts = createAccounts()
  const stateSecret = randomBytes(32).toString('hex')
  const inherited = { ...options.env, ...urlVariables(options.portBase) }
  return function environmentOf(row) {
    return {
      ...inherited,
      ...dataVariables(row, options),
      ...identityVariables(row, options),
      ...consoleVariables(row, options),
      ...(row.calls && accountVariables(row, accounts, options.portBase)),
      // A gateway that is started again opens the state that clients carry.
      ...('gateway' in row.runs && { MCP_STATE_SECRET: stateSecret }),
      ...(row.issuesTokens && {
        MCP_RESOURCE: `${urlOf('gateway', options.portBase)}/mcp`,
        SERVICE_ACCOUNTS: JSON.stringify(Object.fromEntries(accounts)),
      }),
    }
  }
}

function createAccounts(): ReadonlyMap<string, string> {
  const callers = parts.filter((row: PartRow) => row.calls)
  return new Map(callers.map(({ name }) => [name, randomBytes(32).toString('hex')]))
}

/** `undefined` removes an inherited variable. */
function dataVariables({ name, stores }: PartRow, options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { databaseUrl, env } = options
  const dataFolder = options.dataFolder === undefined ? undefined : resolve(options.dataFolder)
  const below = (...path: string[]) => (dataFolder === undefined ? undefined : join(dataFolder, ...path))
  return {
    DATA_FOLDER: below(name),
    AUDIT_FILE: below('audit', `${name}.jsonl`),
    DATABASE_URL: stores && databaseUrl !== undefined ? schemaUrl(databaseUrl, name) : undefined,
    NODE_COMPILE_CACHE: env['NODE_COMPILE_CACHE'] ?? below('compile-cache'),
  }
}

/** A gateway signs with its own key, and the services behind it fetch its public key. The user's own parts keep theirs. */
function identityVariables({ name, signs, behind }: PartRow, options: EnvironmentOptions): NodeJS.ProcessEnv {
  const folder = options.keyFolder ?? options.dataFolder
  if (signs) return { IDENTITY_KEY_FILE: folder && join(resolve(folder), name, 'identity-key.pem') }
  if (behind === undefined) return {}
  return {
    TRUST_JWKS_URL: `${urlOf(behind, options.portBase)}/.well-known/agentic-jwks.json`,
    TRUST_ISSUER: undefined,
    // All parts share a host name: by a forged `Host` one would accept the identities that were signed for another.
    TRUST_AUDIENCE: urlOf(name as PartName, options.portBase),
  }
}

/** One gateway serves the console; the other parts post their records to it. */
function consoleVariables({ name, servesConsole }: PartRow, options: EnvironmentOptions): NodeJS.ProcessEnv {
  const { portBase, consoleFolder } = options
  const serves = servesConsole === true
  return {
    CONSOLE_PORT: serves ? String(portOf('console', portBase)) : undefined,
    CONSOLE_FOLDER: serves ? consoleFolder : undefined,
    RECORDS_URL: serves ? undefined : `${urlOf('console', portBase)}/api/records?part=${name}`,
  }
}

function accountVariables(
  { name }: PartRow,
  accounts: ReadonlyMap<string, string>,
  portBase: number,
): NodeJS.ProcessEnv {
  return {
    SERVICE_ACCOUNT_ID: name,
    SERVICE_ACCOUNT_SECRET: accounts.get(name),
    SERVICE_ACCOUNT_TOKEN_URL: `${urlOf('identity', portBase)}/service-accounts/token`,
  }
}
