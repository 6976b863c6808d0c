import { headers, outcomes } from '@agentic-rest/profile'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { givenToken, NO_TOKEN, tokenOption } from '../given-token.ts'
import type { Host } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'

const DEFAULT_URL = 'http://127.0.0.1:8090'
// A gateway waits a few seconds for the keys of its issuers before it swaps.
const TIMEOUT_MS = 30_000

/** `agentic reload`: asks a running gateway to read its file again. */
export const reload = defineCommand({
  name: 'reload',
  description:
    'Asks a running gateway to read its file again, by its admin listener (gateway.admin), and says what came of it. The\n' +
    'file is taken as a whole or not at all; requests in flight finish as they began. Outside "agentic dev" a token with\n' +
    'the role gateway.admin.role is needed. A gateway without the listener reloads on SIGHUP.',
  operands: [
    {
      name: 'URL',
      optional: true,
      description: `The address of the admin listener; ${DEFAULT_URL} unless given.`,
    },
  ],
  options: { token: tokenOption },
  examples: ['agentic reload', 'agentic reload http://127.0.0.1:9090 --token "$TOKEN"'],
  exitCodes: [
    [exitCodes.ok, 'The file is in use.'],
    [exitCodes.failed, 'The gateway could not be asked, or does not let this token in.'],
    [
      exitCodes.invalid,
      'The gateway refused the file and goes on as before, or the command line is not valid.',
    ],
  ],
  async run({ values, operands: [base = DEFAULT_URL] }, host) {
    const token = givenToken(values.token, host.env)
    if (token === false) return tell(host, `agentic reload: ${NO_TOKEN}`, exitCodes.invalid)
    const url = URL.parse('/api/reload', base)
    if (url === null || !/^https?:$/.test(url.protocol))
      return tell(host, 'agentic reload: the address is no http or https URL', exitCodes.invalid)
    return await ask({ url, token }, host)
  },
})

interface Question {
  readonly url: URL
  readonly token: string | undefined
}

async function ask({ url, token }: Question, host: Host): Promise<number> {
  const authorization = token === undefined ? undefined : { [headers.authorization]: `Bearer ${token}` }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...authorization },
      // Where a redirect leads is nobody that the token was meant for.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body: unknown = await response.json()
    return response.status === outcomes.success.status
      ? tellResult(body, host)
      : tell(host, `the gateway did not reload: ${fieldOf(body, 'message')}`, exitCodes.failed)
  } catch {
    return tell(host, `no admin listener of a gateway answers at ${url.origin}`, exitCodes.failed)
  }
}

function tellResult(body: unknown, host: Host): number {
  if (fieldOf(body, 'result') === 'applied') {
    host.stdout.write('the configuration was reloaded\n')
    return exitCodes.ok
  }
  const { faults } = body as { readonly faults?: unknown }
  const lines = Array.isArray(faults) ? faults.map(String).map(terminalLine) : []
  return tell(
    host,
    [...lines, 'the gateway refused the file and goes on as before'].join('\n'),
    exitCodes.invalid,
  )
}

function fieldOf(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return terminalLine(String(value))
}

function tell({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${text}\n`)
  return code
}
