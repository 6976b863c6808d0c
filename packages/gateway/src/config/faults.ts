/** Why a configuration is refused: the file is not valid, or starting with it must fail (decision 33). */
export type FaultKind = 'invalid' | 'initialisation'

/** One fault, at the line and column (from 1) of the key or value that is to blame. */
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

/** Escapes characters that could steer a terminal or reorder a line. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`
