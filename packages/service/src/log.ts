/** Fields of a log line. Never put a secret, a token or a body here. */
export type LogFields = Readonly<Record<string, unknown>>

/** The operational log, and the only place for the causes of failures. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** Creates a log that writes one JSON line per call. */
export function jsonLinesLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...plain(fields) })}\n`)
  return { debug: () => undefined, info: at('info'), warn: at('warn'), error: at('error') }
}

/** The default log: JSON lines on stderr. Stdout may carry audit records. */
export function stderrLog(): Log {
  return jsonLinesLog((line) => void globalThis.process?.stderr.write(line))
}

/** Wraps a log so that it never throws. A failing log must not fail a request. */
export function safeLog(log: Log): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) => {
    try {
      log[level](message, fields)
    } catch {
      // A failure of the log cannot be logged.
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Wraps a log so that every line has these fields. */
export function withFields(log: Log, own: LogFields): Log {
  return {
    debug: (message, fields) => log.debug(message, { ...own, ...fields }),
    info: (message, fields) => log.info(message, { ...own, ...fields }),
    warn: (message, fields) => log.warn(message, { ...own, ...fields }),
    error: (message, fields) => log.error(message, { ...own, ...fields }),
  }
}

/** Turns errors into text. JSON.stringify would write them as `{}`. */
function plain(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? errorText(value) : value]),
  )
}

function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? ` (cause: ${errorText(error.cause)})` : ''
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`
}
