import { styleText } from 'node:util'
import { type ClientRequest, parseJson } from '@agentic-rest/client'
import type { PartName } from '../parts.ts'

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
  end(stops: number, wrong: number): void
}

type Style = Parameters<typeof styleText>[0]

const MAX_SHOWN_LENGTH = 1_200

/** Creates the output for a stream. */
export function createPaper(stream: NodeJS.WritableStream): Paper {
  const paint = (style: Style, text: string) => styleText(style, text, { stream })
  const write = (text: string) => void stream.write(`${text}\n`)
  return {
    stop(number, { title, why }) {
      write(`\n${paint('bold', `${number}. ${title}`)}\n${paint('dim', why)}`)
    },
    request(question) {
      write(
        `\n${paint('cyan', requestLine(question))}${question.body === undefined ? '' : indent(question.body)}`,
      )
    },
    answer({ status, mediaType, location, text }) {
      const head = paint(status < 300 ? 'green' : 'yellow', `${status} ${mediaType}`)
      const next = location === undefined ? '' : `\nLocation: ${location}`
      write(`${head}${next}${indent(parse(text))}`)
    },
    say: (text) => write(`  ${text}`),
    right: () => write(paint('green', 'as expected')),
    wrong: (error) => write(paint('red', `WRONG: ${error instanceof Error ? error.message : String(error)}`)),
    end(stops, wrong) {
      write(`\n${paint(wrong === 0 ? 'green' : 'red', `stops: ${stops}, wrong: ${wrong}`)}`)
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

function indent(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)} ...` : text
  return `\n${shown.replace(/^/gm, '  ')}`
}
