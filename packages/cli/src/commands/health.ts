import { outcomes } from '@agentic-rest/profile'
import { adminUrl, askAdmin, fieldOf, textOf } from '../ask-admin.ts'
import { defineCommand } from '../command.ts'
import { exitCodes, type Host } from '../host.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'
const DEFAULT_TIMEOUT_MS = 2_000
const MAX_TIMEOUT_MS = 600_000

/** `agentic health`: says whether a gateway is ready, for images and unit files without curl. */
export const health = defineCommand({
  name: 'health',
  description:
    'Asks a gateway at /readyz whether it is ready, for the health check of an image or a script. It needs no token. A\n' +
    'gateway that reports degraded parts is ready: it serves requests. A gateway that drains is not.',
  operands: [],
  options: {
    url: {
      type: 'string',
      value: 'URL',
      default: DEFAULT_URL,
      description: `The address of the gateway; ${DEFAULT_URL} by default.`,
    },
    'timeout-ms': {
      type: 'string',
      value: 'MS',
      default: String(DEFAULT_TIMEOUT_MS),
      description: `The time limit in milliseconds, ${DEFAULT_TIMEOUT_MS} by default.`,
    },
  },
  examples: ['npx agentic health', 'npx agentic health --url https://gateway.example.com --timeout-ms 500'],
  exitCodes: [
    [exitCodes.ok, 'The gateway is ready.'],
    [exitCodes.failed, 'The gateway is not ready, or did not answer in time.'],
    [exitCodes.invalid, 'The command line is not valid.'],
  ],
  async run({ values }, host) {
    const url = adminUrl('/readyz', values.url)
    if (url === undefined)
      return tell(host, 'agentic health: --url is not an http or https URL', exitCodes.invalid)
    const timeoutMs = readTimeoutMs(values['timeout-ms'])
    if (timeoutMs === undefined)
      return tell(
        host,
        `agentic health: --timeout-ms is a whole number from 1 to ${MAX_TIMEOUT_MS}`,
        exitCodes.invalid,
      )
    return await ask(url, timeoutMs, host)
  },
})

function readTimeoutMs(text: string): number | undefined {
  const value = Number(text)
  return /^\d+$/.test(text) && value >= 1 && value <= MAX_TIMEOUT_MS ? value : undefined
}

async function ask(url: URL, timeoutMs: number, host: Host): Promise<number> {
  const answer = await askAdmin({ url, token: undefined, method: 'GET', timeoutMs })
  if (answer === undefined)
    return tell(host, `no gateway answers at ${url.origin} within ${timeoutMs} ms`, exitCodes.failed)
  const { status, body } = answer
  if (status !== outcomes.success.status)
    return tell(host, `not ready: ${[status, ...messageOf(body)].join(' ')}`, exitCodes.failed)
  // Any web server may answer with 200.
  if (fieldOf(body, 'status') !== 'ready')
    return tell(host, `the answer of ${url.origin} is not that of a gateway`, exitCodes.failed)
  host.stdout.write(['ready', ...degradedParts(body), ''].join('\n'))
  return exitCodes.ok
}

/** Another web server may have none. */
function messageOf(body: unknown): string[] {
  const message: unknown = Reflect.get(Object(body), 'message')
  return typeof message === 'string' ? [textOf(message)] : []
}

function degradedParts(body: unknown): string[] {
  const { degraded } = body as { readonly degraded?: unknown }
  return Array.isArray(degraded) ? degraded.map((part) => `degraded: ${textOf(part)}`) : []
}

function tell({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${text}\n`)
  return code
}
