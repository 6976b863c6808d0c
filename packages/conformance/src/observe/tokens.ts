import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { headers } from '@agentic-rest/profile'
import type { Environment } from '../scenario/fill-references.ts'
import type { TokenSource } from '../scenario/scenario-schema.ts'
import type { Bearer } from '../wire/exchange.ts'
import { send } from '../wire/send.ts'
import { valueAt } from './json-path.ts'

/** A token that could not be had; the message names no secret. */
export class TokenSourceError extends Error {
  override readonly name = 'TokenSourceError'
}

/** Gives tokens by name, each fetched once. */
export interface Tokens {
  get(name: string): Promise<Bearer>
  /** Every token that was given, so that a report can leave them out. */
  secrets(): readonly Bearer[]
}

/** Where tokens are looked for. */
interface TokenPlace {
  readonly sources: Readonly<Record<string, TokenSource>>
  readonly env: Environment
  /** Commands run here, and files are found from here. */
  readonly folder: string
}

const runShell = promisify(exec)
const COMMAND_TIMEOUT_MS = 60_000

/** Tokens of a scenario. */
export function createTokens({ sources, ...place }: TokenPlace): Tokens {
  const fetched = new Map<string, Promise<string>>()
  const known = new Map<string, Bearer>()
  return {
    get(name) {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined
      if (source === undefined) throw new TokenSourceError(`there is no token ${name}`)
      const token = fetched.get(name) ?? fetchToken(name, source, place)
      fetched.set(name, token)
      return token.then((text) => {
        const bearer = { text, shown: variableOf(name) }
        known.set(text, bearer)
        return bearer
      })
    },
    secrets: () => [...known.values()],
  }
}

/** Tokens are told apart in commands: which one a request needs is half of what it says. */
function variableOf(name: string): string {
  return `$TOKEN_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
}

type Place = Omit<TokenPlace, 'sources'>

async function fetchToken(name: string, source: TokenSource, place: Place): Promise<string> {
  const token = (await readSource(source, place).catch(() => undefined))?.trim()
  // A token that cannot stand in a header would only fail later, with less to say.
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token
  // The key and not its value: an address or a command may hold a secret.
  const [kind = ''] = Object.keys(source)
  throw new TokenSourceError(`the token ${name} cannot be had from its ${kind} (tokens.${name}.${kind})`)
}

async function readSource(source: TokenSource, { env, folder }: Place): Promise<string | undefined> {
  if ('env' in source) return env[source.env]
  if ('file' in source) return readFileSync(resolve(folder, source.file), 'utf8')
  if ('command' in source) {
    const options = { cwd: folder, env: { ...env }, timeout: COMMAND_TIMEOUT_MS }
    return (await runShell(source.command, options)).stdout
  }
  const { answer } = await send({
    method: source.form === undefined ? 'GET' : 'POST',
    url: source.url,
    headers: source.form === undefined ? {} : formHeaders,
    body: source.form && new URLSearchParams(source.form).toString(),
    trace: {},
  })
  const token = valueAt(answer?.json?.value, `$.${source.field}`)
  return typeof token === 'string' ? token : undefined
}

const formHeaders = { [headers.contentType]: 'application/x-www-form-urlencoded' }
