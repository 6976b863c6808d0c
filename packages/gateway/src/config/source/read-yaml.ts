import { Composer, type CST, type Document, type ErrorCode, Lexer, Parser, type YAMLError } from 'yaml'
import type { Finding } from './finding.ts'

/** Deepest nesting that is read; the schema itself needs 7 levels. Composing is recursive, so this comes first. */
export const MAX_DEPTH = 64
/** Most lexical tokens that are read: about 3,000 routes, and well under a second whatever they spell. */
export const MAX_TOKENS = 200_000

/** A file as one YAML document; `document` is absent when nothing can be made of the file. */
export interface YamlSource {
  readonly document?: Document.Parsed
  /** Faults that leave the document's meaning in doubt. */
  readonly syntax: readonly Finding[]
  /** Faults beside the document. */
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
  // The library compares every key with every other one, which is quadratic; the tree does it with a Map.
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  resolveKnownTags: false,
  schema: 'core',
} as const

/** The concrete syntax tokens of the text, or the reason not to go on. */
const scan = (text: string): { tokens: CST.Token[] } | { refused: Finding } => {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    count += 1
    if (parser.stack.length > MAX_DEPTH)
      return refuse(parser.offset, `nesting is deeper than ${MAX_DEPTH} levels`)
    if (count > MAX_TOKENS) return refuse(parser.offset, `the file has more than ${MAX_TOKENS} YAML tokens`)
  }
  tokens.push(...parser.end())
  return { tokens }
}

const refuse = (offset: number, message: string): { refused: Finding } => ({
  refused: findingAt(offset, message),
})

const findingAt = (offset: number, message: string): Finding => ({ offset, end: offset, path: [], message })

/** Takes out directives (one could switch to YAML 1.1, where `off` is a boolean) and documents after the first. */
const splitStrays = (tokens: readonly CST.Token[]): { body: CST.Token[]; strays: Finding[] } => {
  const body: CST.Token[] = []
  const strays: Finding[] = []
  let documents = 0
  for (const token of tokens) {
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

// Each of a bomb's faults would otherwise capture a stack trace, ten times the cost of all other work.
const withoutStackTraces = <Result>(work: () => Result): Result => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

// The library also warns about flow brackets that are indented unusually, which harms nobody.
const isFault = ({ code }: YAMLError): boolean =>
  code === 'TAG_RESOLVE_FAILED' || code === 'BAD_COLLECTION_TYPE'

/** Once the parser is lost, every further token surprises it; only the first surprise tells anything. */
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

/** Own words where the library would quote the file, which may hold a secret; undefined where its words are fixed. */
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
