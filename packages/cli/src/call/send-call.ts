import {
  type Answered,
  createClient,
  type OperationStatus,
  type PendingApproval,
  type RunOptions,
} from '@agentic-rest/client'
import { conditions } from '@agentic-rest/profile'
import type { Host } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'
import { askInputs, isInteractive, openPrompt } from './ask-inputs.ts'
import { type HandedOver, watchAnswers } from './hand-over.ts'
import { printStream } from './print-stream.ts'
import type { Call } from './read-call.ts'
import { facts } from './show-outcome.ts'

/** Settings of one call. */
export interface CallSettings {
  readonly host: Host
  readonly json: boolean
  /** Whether the call waits for operations and approvals, or the first answer is the result. */
  readonly waits: boolean
  /** Whether stdin is free for answers. */
  readonly asks: boolean
  readonly stop: AbortController
}

/** Sends a call and follows it to its end. Resolves with the outcome; with nothing when a stream was printed to its end. */
export async function sendCall(call: Call, settings: CallSettings): Promise<Answered | undefined> {
  const { stop, waits, host } = settings
  const waiting = createWaitingLine(host.stderr)
  const watch = watchAnswers(async (url, init) => {
    const response = await fetch(url, init)
    waiting.answered(url, response.status)
    return response
  })
  const running = new AbortController()
  const request = { ...call.request, signal: AbortSignal.any([stop.signal, running.signal]) }
  const client = createClient({ ...call.client, fetch: watch.fetch })
  const outcome = waits
    ? client.run(request, {
        ...runOptions(call, settings, waiting),
        maxRounds: 100,
        maxWaitMs: Number.POSITIVE_INFINITY,
      })
    : client.request(request)
  const first = await Promise.race([outcome, watch.handedOver.then((handed) => ({ handed }))])
  if (!('handed' in first)) return first
  // This answer is read below and not by the run. The run is aborted; its rejection carries no information.
  running.abort()
  outcome.catch(() => undefined)
  return takeOver(call, first.handed, settings)
}

async function takeOver(
  call: Call,
  { type, fetch }: HandedOver,
  { stop, host, json }: CallSettings,
): Promise<Answered | undefined> {
  const client = createClient({ ...call.client, fetch })
  const request = { ...call.request, signal: stop.signal }
  if (type === 'wait') return client.request(request)
  return printStream(client, request, { stdout: host.stdout, json })
}

function runOptions({ client }: Call, { host, asks, stop }: CallSettings, waiting: WaitingLine): RunOptions {
  const write = (text: string) => void host.stderr.write(text)
  const progress = createProgressLine(host.stderr)
  return {
    onProgress(status) {
      progress.show(status)
      if (status.status !== 'working') progress.end()
    },
    onApproval(approval) {
      write(approvalText(approval, String(client.baseUrl)))
      waiting.start(approval.location)
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

/** Names the approver and the command that approves. */
function approvalText({ message, approver, location }: PendingApproval, baseUrl: string): string {
  const path = location?.startsWith(baseUrl) ? location.slice(baseUrl.replace(/\/+$/, '').length) : undefined
  const command =
    path === undefined
      ? undefined
      : `npx agentic approvals approve ${path} --base-url ${baseUrl} (with a token of theirs)`
  return [
    `This needs an approval first: ${terminalLine(message)}\n`,
    facts({ approver: approver?.name, where: location, 'they run': command }),
  ].join('')
}

interface WaitingLine {
  /** A wait for a decision begins. */
  start(location: string | undefined): void
  /** An address was answered with a status. */
  answered(url: string, status: number): void
}

const unserved: readonly number[] = [conditions.not_found, conditions.method_not_allowed]

/** Says that the call waits, once the address of the approval has answered: a 404 there ends the wait. */
function createWaitingLine(stream: NodeJS.WriteStream): WaitingLine {
  let awaited: string | undefined
  const write = () =>
    void stream.write('Waiting for the decision. Ctrl-C ends the wait; nothing was done so far.\n')
  return {
    start(location) {
      awaited = location
      if (location === undefined) write()
    },
    answered(url, status) {
      if (url !== awaited) return
      awaited = undefined
      if (!unserved.includes(status)) write()
    },
  }
}

interface ProgressLine {
  show(status: OperationStatus): void
  /** Ends the line, so that later output starts on a new one. */
  end(): void
}

/** Shows the progress of an operation: one changing line on a terminal, otherwise a line per change. */
function createProgressLine(stream: NodeJS.WriteStream): ProgressLine {
  let last = ''
  return {
    show(status) {
      const text = progressText(status)
      if (text === last) return
      last = text
      stream.write(
        stream.isTTY ? `\r\u001b[2K${text.slice(0, Math.max(20, stream.columns - 1))}` : `${text}\n`,
      )
    },
    end() {
      if (last !== '' && stream.isTTY) stream.write('\n')
      last = ''
    },
  }
}

function progressText({ operationId, status, progress }: OperationStatus): string {
  const how = progress === undefined || progress === null ? '' : `: ${readable(progress)}`
  return terminalLine(`operation ${operationId} ${status}${how}`)
}

function readable(progress: unknown): string {
  return typeof progress === 'string' ? progress : jsonText(progress, 0)
}
