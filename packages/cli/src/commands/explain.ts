import { DEFAULT_ADMIN_URL } from '../ask-admin.ts'
import { defineCommand } from '../command.ts'
import { type Found, findAtGateway, findInFiles } from '../explain/find-requests.ts'
import { showRequests } from '../explain/show-requests.ts'
import { givenToken, NO_TOKEN, tokenOption } from '../given-token.ts'
import { exitCodes, type Host } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'

/** `agentic explain`: says step by step what happened to a request, and what to do. */
export const explain = defineCommand({
  name: 'explain',
  description:
    'Says what happened to a request: each step with its time and verdict, the limit or rule that decided, and for a code of\n' +
    'the gateway its meaning and what to do. With a correlation id it does so for all requests of the exchange, across gateways\n' +
    'and services. It asks a running gateway through its admin listener (gateway.admin), which remembers the last 5,000\n' +
    'requests and needs a token of a viewer or an operator outside "npx agentic dev"; or it reads audit files, which have no\n' +
    'times of steps.',
  operands: [{ name: 'ID', description: 'The X-Request-ID or the X-Correlation-ID of the answer.' }],
  options: {
    admin: {
      type: 'string',
      value: 'URL',
      description: `The address of the admin listener; ${DEFAULT_ADMIN_URL} by default.`,
    },
    audit: {
      type: 'string',
      value: 'FILE',
      multiple: true,
      description: 'Reads audit records from this file instead, one JSON object per line; may be repeated.',
    },
    token: tokenOption,
    json: { type: 'boolean', description: 'Prints JSON.' },
  },
  examples: [
    'npx agentic explain 6f1f8a52-8f0b-4a5e-9f3e-0d6f1c1b2a3d',
    'npx agentic explain corr-1 --admin http://127.0.0.1:9090 --json',
    'npx agentic explain corr-1 --audit gateway.jsonl --audit service.jsonl',
  ],
  exitCodes: [
    [exitCodes.ok, 'The request was explained.'],
    [exitCodes.failed, 'Nothing is known of the id, or the gateway or a file cannot be read.'],
    [exitCodes.invalid, 'The command line is not valid.'],
  ],
  async run({ values: { admin, audit, token: given, json }, operands: [id = ''] }, host) {
    const files = audit ?? []
    if (admin !== undefined && files.length > 0)
      return tell(host, 'agentic explain: --admin and --audit exclude each other', exitCodes.invalid)
    const token = givenToken(given, host.env)
    if (token === false) return tell(host, `agentic explain: ${NO_TOKEN}`, exitCodes.invalid)
    const found =
      files.length > 0
        ? await findInFiles(id, files)
        : await findAtGateway(id, { admin: admin ?? DEFAULT_ADMIN_URL, token })
    return show(found, { id, json }, host)
  },
})

function show(found: Found, { id, json }: { id: string; json: boolean }, host: Host): number {
  if ('fault' in found) return tell(host, `agentic explain: ${terminalLine(found.fault)}`, exitCodes.failed)
  const { requests, notes = [] } = found
  for (const note of notes) host.stderr.write(`agentic explain: ${terminalLine(note)}\n`)
  if (requests.length === 0)
    return tell(host, `agentic explain: nothing is known of ${terminalLine(id)}`, exitCodes.failed)
  host.stdout.write(
    json ? `${jsonText({ id, requests })}\n` : `${showRequests(requests, host.stdout).join('\n')}\n`,
  )
  return exitCodes.ok
}

function tell({ stderr }: Host, text: string, code: number): number {
  stderr.write(`${text}\n`)
  return code
}
