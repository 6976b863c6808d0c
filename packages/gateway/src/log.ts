import { inspect } from 'node:util'

/** Log levels: a level includes every level above it. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
/** One of the log levels. */
export type LogLevel = (typeof logLevels)[number]

/** Details of a log line. Never put a secret, a token or a body here. */
export type LogFields = Readonly<Record<string, unknown>>

/** The operational log. It goes to stderr; stdout belongs to the audit exporter. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Level, format and target of a log. */
export interface LogOptions {
  readonly level: LogLevel
  /** One readable line instead of JSON, for a terminal. */
  readonly pretty: boolean
  readonly write: (line: string) => void
}

/** Makes a log. */
export function createLog({ level, pretty, write }: LogOptions): Log {
  const threshold = logLevels.indexOf(level)
  const format = pretty ? prettyLine : jsonLine
  const at = (own: LogLevel) => {
    if (logLevels.indexOf(own) < threshold) return () => undefined
    return (message: string, fields: LogFields = {}) => write(format(own, message, fields))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** For work beside a gateway, such as a check. */
export const silentLog: Log = createLog({ level: 'silent', pretty: false, write: () => undefined })

/** A log whose lines carry these fields, whatever fields a line has itself. */
export function withFields(log: Log, own: LogFields): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) =>
    log[level](message, { ...fields, ...own })
  return Object.freeze({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') })
}

function jsonLine(level: LogLevel, message: string, fields: LogFields): string {
  const line = { time: new Date().toISOString(), level, msg: message, ...plainFields(fields) }
  return `${jsonText(line)}\n`
}

function prettyLine(level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(plainFields(fields)).map(([key, value]) => ` ${key}=${jsonText(value)}`)
  return `${new Date().toISOString().slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}${details.join('')}\n`
}

/** JSON has no form for errors: without this a log line would show `{}` instead of the cause. */
function plainFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? errorText(value) : value]),
  )
}

/** A plugin may throw any value: a log line that cannot be written must not fail a request. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY }))
  }
}

const MAX_CAUSES = 5

function errorText(error: Error, causes = 0): string {
  const hasCause = error.cause instanceof Error && causes < MAX_CAUSES
  const cause = hasCause ? ` (cause: ${errorText(error.cause as Error, causes + 1)})` : ''
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`
}
