import { outcomes } from '@agentic-rest/profile'
import { adminBodies } from '@agentic-rest/profile/admin'
import { adminUrl, askAdmin, DEFAULT_ADMIN_URL, faultOf } from '../ask-admin.ts'
import { defineCommand } from '../command.ts'
import { givenToken, NO_TOKEN, tokenOption } from '../given-token.ts'
import { exitCodes, type Host } from '../host.ts'
import { jsonText } from '../terminal-text.ts'
import { showUsage } from '../usage/show-usage.ts'

const TIMEOUT_MS = 10_000

/** `agentic usage`: shows the requests, tokens and cost of tenants against their limits. */
export const usage = defineCommand({
  name: 'usage',
  description:
    'Shows the requests, tokens and cost of tenants, today and this month in UTC, and what is left of their limits\n' +
    '(gateway.rate_limits). It asks a running gateway through its admin listener (gateway.admin). Outside\n' +
    '"npx agentic dev" this needs a token of a viewer or an operator. Counts begin at the start of the gateway; tokens and\n' +
    'cost are counted on routes with a limit of them.',
  operands: [],
  options: {
    tenant: {
      type: 'string',
      value: 'TENANT',
      description: 'One tenant; by default the 100 with the most requests of this month.',
    },
    admin: {
      type: 'string',
      value: 'URL',
      default: DEFAULT_ADMIN_URL,
      description: `The address of the admin listener; ${DEFAULT_ADMIN_URL} by default.`,
    },
    token: tokenOption,
    json: { type: 'boolean', description: 'Prints the answer of the gateway as JSON.' },
  },
  examples: [
    'npx agentic usage',
    'npx agentic usage --tenant acme --json',
    'npx agentic usage --admin http://127.0.0.1:9090 --token "$TOKEN"',
  ],
  exitCodes: [
    [exitCodes.ok, 'The usage was shown.'],
    [exitCodes.failed, 'The gateway did not answer, or refused the request.'],
    [exitCodes.invalid, 'The command line is not valid.'],
  ],
  async run({ values: { tenant, admin, token: given, json } }, host) {
    const token = givenToken(given, host.env)
    if (token === false) return tell(host, `agentic usage: ${NO_TOKEN}`, exitCodes.invalid)
    const url = adminUrl('/api/usage', admin)
    if (url === undefined)
      return tell(host, 'agentic usage: --admin is not an http or https URL', exitCodes.invalid)
    if (tenant !== undefined) url.searchParams.set('tenant', tenant)
    return await show({ url, token, json }, host)
  },
})

interface Question {
  readonly url: URL
  readonly token: string | undefined
  readonly json: boolean
}

async function show({ url, token, json }: Question, host: Host): Promise<number> {
  const answer = await askAdmin({ url, token, method: 'GET', timeoutMs: TIMEOUT_MS })
  if (answer === undefined)
    return tell(host, `no admin listener of a gateway answers at ${url.origin}`, exitCodes.failed)
  if (answer.status !== outcomes.success.status)
    return tell(host, `the gateway did not show usage: ${faultOf(answer)}`, exitCodes.failed)
  const read = adminBodies.Usage.read(answer.body)
  if (read.at === '')
    return tell(host, `the answer of ${url.origin} is not the usage of a gateway`, exitCodes.failed)
  host.stdout.write(json ? `${jsonText(answer.body)}\n` : `${showUsage(read, host.stdout).join('\n')}\n`)
  return exitCodes.ok
}

function tell({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${text}\n`)
  return code
}
