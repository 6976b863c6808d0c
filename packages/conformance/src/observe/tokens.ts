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

/** A token could not be fetched. The message contains no secret. */
export class TokenSourceError extends Error {
  override readonly name = 'TokenSourceError'
}

/** The tokens of a scenario, by name. Each is fetched once. */
export interface Tokens {
  get(name: string): Promise<Bearer>
  /** All fetched tokens, so that reports can hide them. */
  secrets(): readonly Bearer[]
}

/** The sources of tokens. */
interface TokenPlace {
  readonly sources: Readonly<Record<string, TokenSource>>
  readonly env: Environment
  /** The folder for commands and files. */
  readonly folder: string
}

const runShell = promisify(exec)
const COMMAND_TIMEOUT_MS = 60_000

/** Creates the tokens of a scenario. */
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

/** The variable for a token in printed commands. Each token has its own name. */
function variableOf(name: string): string {
  return `$TOKEN_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
}

type Place = Omit<TokenPlace, 'sources'>

async function fetchToken(name: string, source: TokenSource, place: Place): Promise<string> {
  const token = (await readSource(source, place).catch(() => undefined))?.trim()
  // A token with invalid characters would fail later, with a worse message.
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token
  // The message has only the kind of the source: an address or a command may contain a secret.
  const [kind = ''] = Object.keys(source)
  throw new TokenSourceError(`the token ${name} cannot be read from its ${kind} (tokens.${name}.${kind})`)
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
