import {
  type Answered,
  createClient,
  type OperationStatus,
  type PendingApproval,
  type RunOptions,
} from '@agentic-rest/client'
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
  const { stop, waits } = settings
  const watch = watchAnswers((url, init) => fetch(url, init))
  const running = new AbortController()
  const request = { ...call.request, signal: AbortSignal.any([stop.signal, running.signal]) }
  const client = createClient({ ...call.client, fetch: watch.fetch })
  const outcome = waits
    ? client.run(request, {
        ...runOptions(call, settings),
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
  return type === 'wait' ? client.request(request) : printStream(client.stream(request), host.stdout, json)
}

function runOptions({ client }: Call, { host, asks, stop }: CallSettings): RunOptions {
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

/** Names the approver and the command that approves. */
function approvalText({ message, approver, location }: PendingApproval, baseUrl: string): string {
  const path = location?.startsWith(baseUrl) ? location.slice(baseUrl.replace(/\/+$/, '').length) : undefined
  const command =
    path === undefined
      ? undefined
      : `agentic call POST ${path}/approve --base-url ${baseUrl} (with a token of theirs)`
  return [
    `This needs an approval first: ${terminalLine(message)}\n`,
    facts({ approver: approver?.name, where: location, 'they run': command }),
    'Waiting for the decision. Ctrl-C ends the wait; nothing was done so far.\n',
  ].join('')
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
