import { outcomes } from '@agentic-rest/profile'
import { adminBodies } from '@agentic-rest/profile/admin'
import { adminUrl, askAdmin, DEFAULT_ADMIN_URL, faultOf } from '../ask-admin.ts'
import { defineCommand } from '../command.ts'
import { givenToken, NO_TOKEN, tokenOption } from '../given-token.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'

// A gateway waits some seconds for the keys of its issuers before it uses a new configuration.
const TIMEOUT_MS = 30_000

/** `agentic reload`: makes a running gateway reload its file. */
export const reload = defineCommand({
  name: 'reload',
  description:
    'Makes a running gateway reload its file, through its admin listener (gateway.admin), and prints the result. The file\n' +
    'is used as a whole or not at all; requests in flight finish with the old one. Outside "npx agentic dev" this needs a\n' +
    'token of an operator (gateway.admin). A gateway without an admin listener reloads on SIGHUP.',
  operands: [
    {
      name: 'URL',
      optional: true,
      description: `The address of the admin listener; ${DEFAULT_ADMIN_URL} by default.`,
    },
  ],
  options: { token: tokenOption },
  examples: ['npx agentic reload', 'npx agentic reload http://127.0.0.1:9090 --token "$TOKEN"'],
  exitCodes: [
    [exitCodes.ok, 'The file is in use.'],
    [exitCodes.failed, 'The gateway did not answer, or refused the token.'],
    [
      exitCodes.invalid,
      'The gateway refused the file and keeps the old one, or the command line is not valid.',
    ],
  ],
  async run({ values, operands: [base = DEFAULT_ADMIN_URL] }, host) {
    const token = givenToken(values.token, host.env)
    if (token === false) return tell(host, `agentic reload: ${NO_TOKEN}`, exitCodes.invalid)
    const url = adminUrl('/api/reload', base)
    if (url === undefined)
      return tell(host, 'agentic reload: the address is not an http or https URL', exitCodes.invalid)
    return await ask({ url, token }, host)
  },
})

interface Question {
  readonly url: URL
  readonly token: string | undefined
}

async function ask({ url, token }: Question, host: Host): Promise<number> {
  const answer = await askAdmin({ url, token, method: 'POST', timeoutMs: TIMEOUT_MS })
  if (answer === undefined)
    return tell(host, `no admin listener of a gateway answers at ${url.origin}`, exitCodes.failed)
  return answer.status === outcomes.success.status
    ? tellResult(answer.body, host)
    : tell(host, `the gateway did not reload: ${faultOf(answer)}`, exitCodes.failed)
}

function tellResult(body: unknown, host: Host): number {
  const { result, faults } = adminBodies.Reload.read(body)
  if (result === 'applied') {
    host.stdout.write('the configuration was reloaded\n')
    return exitCodes.ok
  }
  return tell(
    host,
    [...faults.map(terminalLine), 'the gateway refused the file and keeps the old one'].join('\n'),
    exitCodes.invalid,
  )
}

function tell({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${text}\n`)
  return code
}
