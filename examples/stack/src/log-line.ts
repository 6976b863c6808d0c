import { parseJson } from '@agentic-rest/client'

/** Parses a line that is a JSON object, such as a log line or an audit record. */
export function readObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  return parseJson(line).value as Readonly<Record<string, unknown>> | undefined
}

/** Makes a log line readable. */
export function readableLine(line: string): string {
  const entry = readObject(line)
  if (entry === undefined) return line
  const { time: _, level, msg, ...details } = entry
  const rest = Object.entries(details).map(([key, value]) => ` ${key}=${JSON.stringify(inOneLine(value))}`)
  return `${level} ${msg}${rest.join('')}`
}

/** Removes the stack trace of an error, but keeps its causes. */
function inOneLine(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(/\n\s+at .*?(?=\n| \(cause: |$)/g, '').replaceAll(' (cause: ', ': ')
}
