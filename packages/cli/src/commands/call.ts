import type { Answered } from '@agentic-rest/client'
import { routeMethods } from '@agentic-rest/gateway'
import { conditions } from '@agentic-rest/profile'
import { isInteractive } from '../call/ask-inputs.ts'
import { explainFailure } from '../call/explain-failure.ts'
import { type CallOptions, keyOption, readCall } from '../call/read-call.ts'
import { sendCall } from '../call/send-call.ts'
import { isSuccess, outcomeJson, outcomeText, type Shown } from '../call/show-outcome.ts'
import { defineCommand } from '../command.ts'
import { tokenOption } from '../given-token.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { terminalLine } from '../terminal-text.ts'

/** `agentic call METHOD PATH`: sends one request, follows it to its end and shows the outcome. */
export const call = defineCommand({
  name: 'call',
  description:
    'Sends a request to a gateway or a service and shows the outcome. On a terminal it asks for the inputs of a\n' +
    'clarification. It waits for approvals and operations, and prints streams as they arrive.',
  operands: [
    { name: 'METHOD', description: `The method: ${routeMethods.join(', ')}.` },
    { name: 'PATH', description: 'The path below the base URL, with an optional query.' },
  ],
  options: {
    'base-url': {
      type: 'string',
      value: 'URL',
      default: 'http://127.0.0.1:8080',
      description: 'The address of the gateway or service; http://127.0.0.1:8080 by default.',
    },
    token: tokenOption,
    tenant: {
      type: 'string',
      value: 'TENANT',
      description: 'One of several tenants of the token, or the tenant of a service account.',
    },
    data: {
      type: 'string',
      short: 'd',
      value: 'JSON',
      description: 'The body as JSON; @FILE reads it from a file, - from stdin.',
    },
    header: {
      type: 'string',
      short: 'H',
      value: '"NAME: VALUE"',
      multiple: true,
      description: 'A header. Accept: application/json turns streaming off.',
    },
    [keyOption]: {
      type: 'string',
      value: 'KEY',
      description: 'The idempotency key; a new one for each call by default.',
    },
    async: {
      type: 'boolean',
      description: 'Asks for an operation in the background and waits for its result.',
    },
    'no-wait': {
      type: 'boolean',
      description: 'Shows the first answer: no questions, no waiting for approvals or operations.',
    },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      default: '60',
      description: 'The time limit of one answer, 60 by default; 0 for none.',
    },
    json: { type: 'boolean', description: 'Prints the outcome as JSON, a stream as one event per line.' },
  },
  examples: [
    'npx agentic call GET /campaigns/cmp-123 --token "$(npx agentic token)"',
    'npx agentic call POST /campaigns/cmp-123/optimizations --data \'{"goal":"ctr"}\' --json',
    'npx agentic call POST /llm/completions --data @prompt.json --tenant acme',
  ],
  exitCodes: [
    [exitCodes.ok, 'The outcome is success, created or accepted, or a stream is complete.'],
    [
      exitCodes.failed,
      'Any other outcome, no answer, or a status or approval that is not found. Without a terminal also a clarification.',
    ],
    [exitCodes.invalid, 'The command line is not valid.'],
    [exitCodes.interrupted, 'Ended by Ctrl-C.'],
  ],
  async run({ values, operands: [method = '', path = ''] }, host) {
    const options = { ...values, method, path }
    const stop = new AbortController()
    const interrupt = () => stop.abort()
    host.on('SIGINT', interrupt)
    try {
      return await sendAndShow(options, host, stop)
    } catch (error) {
      return explainFailure(error, {
        command: 'call',
        host,
        json: values.json,
        baseUrl: values['base-url'],
        stopped: stop.signal.aborted,
      })
    } finally {
      host.off('SIGINT', interrupt)
    }
  },
})

interface Given extends CallOptions {
  readonly json: boolean
  readonly 'no-wait': boolean
}

async function sendAndShow(options: Given, host: Host, stop: AbortController): Promise<number> {
  const { json, data } = options
  const asks = data !== '-' && !json
  const answered = await sendCall(await readCall(options, host), {
    host,
    json,
    asks,
    waits: !options['no-wait'],
    stop,
  })
  if (answered === undefined) return exitCodes.ok
  const shown = { ...toShown(answered), hint: askingHint(options, host) }
  host.stdout.write(json ? `${outcomeJson(shown)}\n` : outcomeText(shown, host.stdout))
  if (!json) host.stderr.write(unreachableText(answered))
  return isSuccess(answered) && answered.unreachable === undefined ? exitCodes.ok : exitCodes.failed
}

/** Says that the outcome cannot be followed; empty if it can. */
function unreachableText(outcome: Answered): string {
  if (outcome.unreachable === undefined) return ''
  const what = outcome.type === 'accepted' ? `accepted as ${outcome.operationId}` : 'an approval is required'
  return [
    `${terminalLine(`${what}, but GET ${outcome.unreachable} answers ${conditions.not_found} or ${conditions.method_not_allowed}: it has no route, or the route leads to another service`)}\n`,
    '"npx agentic check FILE --live" says which; "npx agentic routes add FILE --from URL" adds a missing route.\n',
    'The request was not sent again.\n',
  ].join('')
}

/** How to be asked the questions of a clarification, for a user who was not asked. */
function askingHint({ data, 'no-wait': noWait }: Given, host: Host): string | undefined {
  if (!isInteractive(host)) return 'run it at a terminal'
  if (data === '-') return 'give the body without stdin'
  return noWait ? 'leave --no-wait out' : undefined
}

function toShown(outcome: Answered): Shown {
  const { trace, profile, headers } = outcome.answer
  const location = outcome.type === 'approval_required' ? headers.get('Location') : null
  return { outcome, trace, profile, location: location ?? undefined, unreachable: outcome.unreachable }
}
