/** A line that is a JSON object, as logs and audit records are; nothing for other text. */
export function readObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A line of a log as people read it. */
export function readableLine(line: string): string {
  const entry = readObject(line)
  if (entry === undefined) return line
  const { time: _, level, msg, ...details } = entry
  const rest = Object.entries(details).map(([key, value]) => ` ${key}=${JSON.stringify(inOneLine(value))}`)
  return `${level} ${msg}${rest.join('')}`
}

/** What went wrong and what that followed from, without where in the code: that is for those who change it. */
function inOneLine(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(/\n\s+at .*?(?=\n| \(cause: |$)/g, '').replaceAll(' (cause: ', ': ')
}
