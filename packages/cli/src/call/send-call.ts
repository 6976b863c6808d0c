import {
  type Answered,
  type Client,
  createClient,
  type PendingApproval,
  type RunOptions,
  StreamError,
  type StreamEvent,
} from '@agentic-rest/client'
import type { Host } from '../host.ts'
import { jsonText, terminalLine, terminalText } from '../terminal-text.ts'
import { askInputs } from './ask-inputs.ts'
import { type HandedOver, watchAnswers } from './hand-over.ts'
import { createPatientWriter } from './patient-writer.ts'
import { createProgressLine } from './progress-line.ts'
import { isInteractive, openPrompt } from './prompt.ts'
import type { Call } from './read-call.ts'
import { facts } from './show-outcome.ts'

/** How a call is carried out. */
export interface Carrying {
  readonly host: Host
  readonly json: boolean
  /** Whether it is carried to its end, or the first answer is the result. */
  readonly waits: boolean
  /** Whether stdin is free for answers. */
  readonly asks: boolean
  readonly stop: AbortController
}

/** Sends a call and carries it as far as it goes: the outcome, or nothing when a stream was printed to its end. */
export async function sendCall(call: Call, carrying: Carrying): Promise<Answered | undefined> {
  const { stop, waits } = carrying
  const watch = watchAnswers((url, init) => fetch(url, init))
  const running = new AbortController()
  const request = { ...call.request, signal: AbortSignal.any([stop.signal, running.signal]) }
  const client = createClient({ ...call.client, fetch: watch.fetch })
  const outcome = waits
    ? client.run(request, {
        ...runOptions(call, carrying),
        maxRounds: 100,
        maxWaitMs: Number.POSITIVE_INFINITY,
      })
    : client.request(request)
  const first = await Promise.race([outcome, watch.handedOver.then((handed) => ({ handed }))])
  if (!('handed' in first)) return first
  // The answer is not the run's to read, so it is given up; that it then rejects says nothing.
  running.abort()
  outcome.catch(() => undefined)
  return takeOver(call, first.handed, carrying)
}

async function takeOver(
  call: Call,
  { type, fetch }: HandedOver,
  carrying: Carrying,
): Promise<Answered | undefined> {
  const client = createClient({ ...call.client, fetch })
  const request = { ...call.request, signal: carrying.stop.signal }
  return type === 'wait' ? client.request(request) : printStream(client.stream(request), carrying)
}

/** Prints events as they come; the outcome is that of a last frame, if the stream breaks off with one. */
async function printStream(
  events: ReturnType<Client['stream']>,
  { host: { stdout }, json }: Carrying,
): Promise<Answered | undefined> {
  const writer = createPatientWriter(stdout)
  try {
    for await (const event of events) {
      if (!(await writer.write(eventText(event, json)))) break
    }
    return undefined
  } catch (error) {
    if (error instanceof StreamError) return error.outcome
    throw error
  } finally {
    writer.close()
  }
}

function eventText({ event, data, id }: StreamEvent, json: boolean): string {
  if (json) return `${jsonText({ event, data, id }, 0)}\n`
  return `${event === 'message' ? '' : `${terminalLine(event)}: `}${terminalText(data)}\n`
}

function runOptions({ client }: Call, { host, asks, stop }: Carrying): RunOptions {
  const write = (text: string) => void host.stderr.write(text)
  const progress = createProgressLine(host.stderr)
  return {
    onProgress(status) {
      progress.show(status)
      if (status.status !== 'working') progress.end()
    },
    onApproval(approval) {
      write(approvalText(approval, String(client.baseUrl)))
      return true
    },
    onClarification: asks && isInteractive(host) ? ask : undefined,
  }

  async function ask(clarification: Parameters<typeof askInputs>[0]) {
    const prompt = openPrompt(host, stop)
    try {
      return await askInputs(clarification, { prompt, write })
    } finally {
      prompt.close()
    }
  }
}

/** Who has to decide, and where. */
function approvalText({ message, approver, location }: PendingApproval, baseUrl: string): string {
  const path = location?.startsWith(baseUrl) ? location.slice(baseUrl.replace(/\/+$/, '').length) : undefined
  const command =
    path === undefined
      ? undefined
      : `agentic call POST ${path}/approve --base-url ${baseUrl} (with a token of theirs)`
  return [
    `Somebody has to approve this first: ${terminalLine(message)}\n`,
    facts({ approver: approver?.name, where: location, 'they run': command }),
    'Waiting for the decision. Ctrl-C ends the wait; nothing was done so far.\n',
  ].join('')
}
