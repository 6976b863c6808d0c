import { parseJson } from '@agentic-rest/client'

/** Parses a line that is a JSON object, such as a log line or an audit record. */
export function readObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  return parseJson(line).value as Readonly<Record<string, unknown>> | undefined
}

/** Makes a log line readable. An error has the places that threw it on lines of their own. */
export function readableLine(line: string): string {
  const entry = readObject(line)
  if (entry === undefined) return line
  const { time: _, level, msg, ...details } = entry
  const rest = Object.entries(details).map(([key, value]) => ` ${key}=${JSON.stringify(inOneLine(value))}`)
  const places = level === 'error' ? Object.values(details).flatMap(placesOf) : []
  return [`${level} ${msg}${rest.join('')}`, ...places].join('\n')
}

const MOST_PLACES = 5

/** The places of a stack trace that belong to the program: neither Node nor an installed package. */
function placesOf(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const places = value.match(/(?<=\n)\s+at .*?(?=\n| \(cause: |$)/g) ?? []
  const own = places.filter((place) => !/node:|<anonymous>|[\\/]node_modules[\\/]/.test(place))
  // Where only others threw, their places are better than none.
  return (own.length > 0 ? own : places)
    .slice(0, MOST_PLACES)
    .map((place) => `    ${withoutEnd(place.trim())}`)
}

/** The last place of a cause has the bracket of the cause behind it. */
function withoutEnd(place: string): string {
  const isClosed = place.split(')').length > place.split('(').length
  return isClosed ? place.replace(/\)+$/, (end) => end.slice(1)) : place
}

/** Removes the stack trace of an error, but keeps its causes. */
function inOneLine(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(/\n\s+at .*?(?=\n| \(cause: |$)/g, '').replaceAll(' (cause: ', ': ')
}
