import { printable } from '@agentic-rest/profile'
/** Why a configuration is refused: the file is invalid, or the start with it must fail (decision 33). */
export type FaultKind = 'invalid' | 'initialisation'

/** One fault, at the line and column (from 1) of its key or value. */
export interface ConfigFault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The key, for example `routes[0].path`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  readonly kind: FaultKind
}

/** A key's place in the configuration, as property names and list indexes. */
export type Path = readonly (string | number)[]

/** A fault with an offset in the text, before it gets its line and column. */
export interface Finding {
  readonly offset: number
  /** The end of the faulty text; a syntax fault after it leaves this finding valid. */
  readonly end: number
  readonly path: Path
  readonly message: string
  readonly kind?: FaultKind
  /** The fault is a missing key. After a syntax fault nothing can be called missing. */
  readonly absence?: boolean
}

/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Indexes a text's lines; the returned function turns an offset into line and column. */
export const createLineIndex = (text: string): ((offset: number) => Position) => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return function positionOf(offset) {
    const line = countUpTo(starts, offset)
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 }
  }
}

/** Counts the ascending numbers up to and including `limit`, by bisection. */
const countUpTo = (ascending: readonly number[], limit: number): number => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** Faults as compilers print them, one per line: `gateway.yaml:12:5: routes[0].pth: unknown key "pth"`. */
export const formatFaults = (faults: readonly ConfigFault[]): string => faults.map(formatFault).join('\n')

const formatFault = ({ file, line, column, path, message }: ConfigFault): string =>
  `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`

/** Writes a path as the operator reads it: `plugins.token-validator.issuers[0]`. */
export const formatPath = (path: Path): string => path.map(formatStep).join('').replace(/^\./, '')

const formatStep = (step: string | number): string => {
  if (typeof step === 'number') return `[${step}]`
  return /^[A-Za-z0-9_-]+$/.test(step) ? `.${step}` : `[${quote(step)}]`
}

const LONGEST_QUOTE = 40

/** Puts text from the file into a message: quoted, cut and printable. */
export const quote = (text: string): string =>
  printable(JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text))
