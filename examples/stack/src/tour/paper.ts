import { styleText } from 'node:util'
import { type ClientRequest, parseJson } from '@agentic-rest/client'
import type { PartName } from '../parts.ts'
import { type Entry, fitScreen, fullText, rowsOf, type Screen } from './fit-screen.ts'

/** A request of the tour, with its sender and its gateway. */
export interface Question extends ClientRequest {
  /** A demo user such as `alice`; without one the request has no token. */
  readonly as?: string | undefined
  /** The gateway; the first one by default. */
  readonly at?: PartName | undefined
}

/** A raw answer. */
interface ShownAnswer {
  readonly status: number
  readonly mediaType: string
  /** The Location header, if there is one. */
  readonly location?: string | undefined
  readonly text: string
}

/** The output of the tour, with colours on a terminal. */
export interface Paper {
  stop(number: number, stop: { readonly title: string; readonly why: string }): void
  request(question: Question): void
  answer(answer: ShownAnswer): void
  say(text: string): void
  right(): void
  wrong(error: unknown): void
  end(result: TourResult): void
}

/** The counts of a tour. */
export interface TourResult {
  readonly stops: number
  /** Fewer than all if the visitor left. */
  readonly seen: number
  readonly wrong: number
}

type Style = Parameters<typeof styleText>[0]

// The question whether to go on; after the last stop an empty line, the result and the prompt of the shell.
const ROWS_BELOW = 3

/** Creates the output for a stream. With a screen, a stop is written at its end, shortened to the size of the screen. */
export function createPaper(stream: NodeJS.WritableStream, screen?: Screen): Paper {
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const write = (text: string) => void stream.write(`${text}\n`)
  let heading = ''
  let held: Entry[] = []
  const add = (entry: Entry) => void (screen === undefined ? write(fullText(entry)) : held.push(entry))
  const endStop = (style: Style, verdict: string) => {
    add({ head: verdict, paint: (text) => paint(style, text) })
    if (screen === undefined) return
    const { columns, rows } = screen
    write(fitScreen(held, { columns, rows: rows - rowsOf(heading, screen) - ROWS_BELOW }))
  }
  return {
    stop(number, { title, why }) {
      held = []
      heading = `\n${paint('bold', `${number}. ${title}`)}\n${paint('dim', why)}`
      write(heading)
    },
    request(question) {
      const { body } = question
      add({ gap: true, head: requestLine(question), paint: (text) => paint('cyan', text), body })
    },
    answer({ status, mediaType, location, text }) {
      const colour = status < 300 ? 'green' : 'yellow'
      const next = location === undefined ? undefined : `Location: ${location}`
      const head = `${status} ${mediaType}`
      add({ head, paint: (shown) => paint(colour, shown), next, body: parse(text) })
    },
    say: (text) => add({ head: `  ${text}`, paint: (shown) => shown }),
    right: () => endStop('green', 'as expected'),
    wrong: (error) => endStop('red', `WRONG: ${error instanceof Error ? error.message : String(error)}`),
    end({ stops, seen, wrong }) {
      const count = seen === stops ? `${stops}` : `${seen} of ${stops}`
      write(`\n${paint(wrong === 0 ? 'green' : 'red', `stops: ${count}, wrong: ${wrong}`)}`)
    },
  }
}

function requestLine(question: Question): string {
  const { method, path, params = {}, as, at, tenantId, headers = {}, idempotencyKey, preferAsync } = question
  const { correlationId, approvalToken } = question
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? `{${name}}`))
  const where = at === undefined || at === 'gateway' ? '' : ` at ${at}`
  const extras = [
    ...(tenantId === undefined ? [] : [`for the tenant ${tenantId}`]),
    ...(idempotencyKey === undefined ? [] : [`with the key ${idempotencyKey}`]),
    ...(correlationId === undefined ? [] : [`under the correlation id ${correlationId}`]),
    ...(approvalToken === undefined ? [] : ['with the approval token']),
    ...(preferAsync ? ['in the background'] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return [`${method} ${filled}${where} as ${as ?? 'nobody'}`, ...extras].join(', ')
}

/** Parses JSON; other text stays text. */
function parse(text: string): unknown {
  const { value, fault } = parseJson(text)
  return fault ? text : value
}
