/** Details of a log line. Never put a secret, a token or a body here. */
export type LogFields = Readonly<Record<string, unknown>>

/** The operational log. Causes of failures go here and nowhere else. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A log of JSON lines, one per call. */
export function jsonLinesLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...plain(fields) })}\n`)
  return { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') }
}

/** The default: JSON lines on stderr, because stdout may belong to audit records. */
export function stderrLog(): Log {
  return jsonLinesLog((line) => void globalThis.process?.stderr.write(line))
}

/** The same log, which never throws: what happens in the log does not disturb the work. */
export function safeLog(log: Log): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) => {
    try {
      log[level](message, fields)
    } catch {
      // There is nobody left to tell.
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The same log with fields that every line of a request has. */
export function withFields(log: Log, own: LogFields): Log {
  return {
    debug: (message, fields) => log.debug(message, { ...own, ...fields }),
    info: (message, fields) => log.info(message, { ...own, ...fields }),
    warn: (message, fields) => log.warn(message, { ...own, ...fields }),
    error: (message, fields) => log.error(message, { ...own, ...fields }),
  }
}

/** Errors do not serialise by themselves: without this a line would say `{}` where the cause belongs. */
function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? errorText(value) : value]),
  )
}

function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? ` (cause: ${errorText(error.cause)})` : ''
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`
}
