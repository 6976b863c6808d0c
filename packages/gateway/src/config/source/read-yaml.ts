import { MAX_JSON_DEPTH } from '@agentic-rest/profile'
import { Composer, type CST, type Document, type ErrorCode, Lexer, Parser, type YAMLError } from 'yaml'
import type { Finding } from '../faults.ts'

/** Most lexical tokens: about 3,000 routes, read in well under a second. */
export const MAX_TOKENS = 200_000

/** A file as one YAML document; `document` is absent for an unreadable file. */
export interface YamlSource {
  readonly document?: Document.Parsed
  /** Faults that make the document's meaning uncertain. */
  readonly syntax: readonly Finding[]
  /** Faults outside the document: directives and further documents. */
  readonly strays: readonly Finding[]
}

/** Parses the text as one YAML 1.2 document (core schema) within fixed bounds. */
export const readYaml = (text: string): YamlSource => {
  const scanned = scan(text)
  if ('refused' in scanned) return { syntax: [scanned.refused], strays: [] }
  const { body, strays } = splitStrays(scanned.tokens)
  const [document] = withoutStackTraces(() => [
    ...new Composer(COMPOSE_OPTIONS).compose(body, true, text.length),
  ])
  if (document === undefined) return { syntax: [], strays }
  const syntax = syntaxFindings([...document.errors, ...document.warnings.filter(isFault)], text)
  return { document, syntax, strays }
}

const COMPOSE_OPTIONS = {
  // The library's check is quadratic; the tree finds duplicate keys with a Map.
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  resolveKnownTags: false,
  schema: 'core',
} as const

/** Reads the concrete syntax tokens within the bounds. */
const scan = (text: string): { tokens: CST.Token[] } | { refused: Finding } => {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let count = 0
  const boundAfter = (lexeme: string): string | undefined => {
    for (const token of parser.next(lexeme)) tokens.push(token)
    count += 1
    // Before composing, which is recursive.
    if (parser.stack.length > MAX_JSON_DEPTH) return `nesting is deeper than ${MAX_JSON_DEPTH} levels`
    return count > MAX_TOKENS ? `the file has more than ${MAX_TOKENS} YAML tokens` : undefined
  }
  // A loop of thousands of rounds would load the optimising compiler for one use: 5 MB of an idle gateway.
  const lexemes = new Lexer().lex(text)
  const reached = lexemes.map(boundAfter).find((bound) => bound !== undefined)
  if (reached !== undefined) return refuse(parser.offset, reached)
  tokens.push(...parser.end())
  return { tokens }
}

const refuse = (offset: number, message: string): { refused: Finding } => ({
  refused: findingAt(offset, message),
})

const findingAt = (offset: number, message: string): Finding => ({ offset, end: offset, path: [], message })

/**
 * Removes directives (`%YAML 1.1` would make `off` a boolean), documents after the first, and unexpected tokens after the
 * first: of them only one is reported, and a bomb may have nothing else.
 */
const splitStrays = (tokens: readonly CST.Token[]): { body: CST.Token[]; strays: Finding[] } => {
  const body: CST.Token[] = []
  const strays: Finding[] = []
  let documents = 0
  let isLost = false
  for (const token of tokens) {
    if (token.type === 'error') {
      if (isLost) continue
      isLost = true
    }
    if (token.type === 'document') documents += 1
    if (token.type === 'directive') strays.push(findingAt(token.offset, 'YAML directives are not supported'))
    else if (documents < 2) body.push(token)
    else if (documents === 2) {
      documents += 1
      strays.push(findingAt(token.offset, 'a second YAML document starts here, the file must hold one'))
    }
  }
  return { body, strays }
}

// A stack trace for each of a bomb's faults would cost ten times all other work.
const withoutStackTraces = <Result>(work: () => Result): Result => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

// The library also warns about unusually indented flow brackets, which are harmless.
const isFault = ({ code }: YAMLError): boolean =>
  code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE'

/** After one unexpected token every further token is unexpected; only the first one is reported. */
const syntaxFindings = (errors: readonly YAMLError[], text: string): Finding[] => {
  const lost = errors.find(({ code }) => code === 'UNEXPECTED_TOKEN')
  return errors
    .filter((error) => error.code !== 'UNEXPECTED_TOKEN' || error === lost)
    .map((error) => findingAt(error.pos[0], `not valid YAML: ${wordSyntaxError(error, text)}`))
}

const wordSyntaxError = ({ code, message, pos: [offset] }: YAMLError, text: string): string => {
  if (text.startsWith('${', offset - 1)) {
    return 'a reference such as ${NAME} needs a line of its own ("key: ${NAME}"), or quotes, which make it a text'
  }
  if (message.startsWith('Missing closing')) return 'a text in quotes has no closing quote'
  return SYNTAX_MESSAGES[code] ?? message
}

/** Our messages for errors whose library message quotes the file, which may hold a secret; undefined keeps the library's. */
const SYNTAX_MESSAGES: Record<ErrorCode, string | undefined> = {
  ALIAS_PROPS: 'an alias cannot have an anchor or a tag',
  BAD_ALIAS: 'the name of an anchor or alias is missing or ambiguous',
  BAD_COLLECTION_TYPE: 'the tag does not fit the value',
  BAD_DIRECTIVE: 'directives are not supported',
  BAD_DQ_ESCAPE: 'unknown escape sequence in a double-quoted text',
  BAD_INDENT: undefined,
  BAD_PROP_ORDER: 'anchors and tags come after the indicator',
  BAD_SCALAR_START: 'the value starts with a reserved character, put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: undefined,
  BLOCK_IN_FLOW: undefined,
  DUPLICATE_KEY: undefined,
  IMPOSSIBLE: 'the file cannot be read',
  KEY_OVER_1024_CHARS: undefined,
  MISSING_CHAR: undefined,
  MULTILINE_IMPLICIT_KEY: 'a key needs to be on a single line and followed by ": "',
  MULTIPLE_ANCHORS: undefined,
  MULTIPLE_DOCS: undefined,
  MULTIPLE_TAGS: undefined,
  NON_STRING_KEY: 'a key must be a plain text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: undefined,
  TAG_RESOLVE_FAILED: 'tags starting with "!" are not supported here, put the value in quotes',
  UNEXPECTED_TOKEN: 'unexpected text here, is a quote, a comma or a bracket missing or too many?',
}
