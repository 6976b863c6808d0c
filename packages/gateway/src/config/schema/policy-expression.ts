import { createRequire } from 'node:module'
import type * as cel from '@marcbachmann/cel-js'
import type { RE2JS } from 're2js'
import { didYouMean } from '../did-you-mean.ts'
import { checkRulePattern, compilePattern } from './rule-pattern.ts'

/** The facts about a request that a policy may use. */
export interface PolicyContext {
  readonly subject: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly tenant: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly service_account: boolean
  readonly route: string
  readonly method: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly now: Date
}

/** A compiled policy. It throws where an expression fails, for example at a claim that the token lacks. */
export type Policy = (context: PolicyContext) => boolean

/** The variables of a policy with their types. */
const VARIABLES = {
  subject: 'string',
  roles: 'list<string>',
  scopes: 'list<string>',
  tenant: 'string',
  claims: 'map<string, dyn>',
  service_account: 'bool',
  route: 'string',
  method: 'string',
  params: 'map<string, string>',
  query: 'map<string, list<string>>',
  headers: 'map<string, string>',
  now: 'google.protobuf.Timestamp',
} as const satisfies Record<keyof PolicyContext, string>

/** The names of the variables, for documentation. */
export const policyVariables: readonly (readonly [name: string, type: string])[] = Object.entries(VARIABLES)

const MOST_NODES = 1000
// Functions that visit every element: one within another takes the square of the time.
const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
// The library's own `matches` uses JavaScript's engine, where a careless pattern stops the gateway (F9).
const MATCHES = 'matches'
const LINEAR_MATCHES = 'linearMatches'

/** Returns the fault of a policy, if it has one. */
export const checkPolicy = (text: string): string | undefined => {
  const compiled = compile(text)
  return typeof compiled === 'string' ? compiled : undefined
}

/** Compiles a policy that `checkPolicy` accepts. */
export const compilePolicy = (text: string): Policy => {
  const compiled = compile(text)
  if (typeof compiled === 'string') throw new TypeError(`the policy ${compiled}`)
  return compiled
}

/** Returns the policy, or its fault. */
const compile = (text: string): Policy | string => {
  const patterns = new Map<string, RE2JS>()
  const environment = createEnvironment(patterns)
  const { valid, type, error } = environment.check(text)
  if (!valid) return describe(error)
  if (type !== 'bool')
    return type === 'dyn'
      ? 'may give any type; compare it with a value, for example claims.admin == true'
      : `must give true or false, not ${type}`
  const calls = callsIn(environment.parse(text).ast)
  const nested = calls.find(({ name, depth }) => LOOPS.has(name) && depth > 0)
  if (nested !== undefined)
    return `has ${nested.name} inside another loop${at(nested.start)}; one loop is allowed`
  const matches = calls.filter(({ name }) => name === MATCHES)
  for (const { pattern, start } of matches) {
    if (pattern === undefined) return `needs the pattern of matches as a text in quotes${at(start)}`
    const fault = checkRulePattern(pattern)
    if (fault !== undefined) return `has a pattern that ${fault}${at(start)}`
    patterns.set(pattern, compilePattern(pattern))
  }
  const evaluate = environment.parse(matches.reduceRight(useLinearMatches, text))
  if (callsIn(evaluate.ast).some(({ name }) => name === MATCHES))
    return 'uses matches in a way that is not known'
  return (context) => evaluate(context) === true
}

const createEnvironment = (patterns: ReadonlyMap<string, RE2JS>): cel.Environment => {
  // Loaded with the first policy: it would be a tenth of the start of every gateway.
  const { Environment } = createRequire(import.meta.url)('@marcbachmann/cel-js') as typeof cel
  const environment = new Environment({ unlistedVariablesAreDyn: false, limits: { maxAstNodes: MOST_NODES } })
  for (const [name, type] of policyVariables) environment.registerVariable(name, type)
  return environment.registerFunction(
    `string.${LINEAR_MATCHES}(string): bool`,
    (value: string, pattern: string) => patterns.get(pattern)?.matcher(value).find() === true,
  )
}

const describe = (error: cel.ParseError | cel.TypeError | undefined): string => {
  if (error === undefined) return 'is not valid'
  const place = at(error.range?.start ?? 0)
  if (error.code === 'limit_exceeded') return `is larger than ${MOST_NODES} parts`
  const unknown = /^Unknown variable: (.+)$/.exec(error.summary)?.[1]
  if (unknown === undefined) return `is not valid: ${error.summary}${place}`
  const names = Object.keys(VARIABLES)
  const hint = didYouMean(unknown, names) || `; there are: ${names.join(', ')}`
  return `uses the unknown variable "${unknown}"${place}${hint}`
}

const at = (offset: number): string => ` at character ${offset + 1}`

interface Call {
  readonly name: string
  /** The number of loops around it. */
  readonly depth: number
  readonly start: number
  /** The place after the value that it is called on. */
  readonly receiverEnd: number
  /** The first argument, where it is a text. */
  readonly pattern: string | undefined
}

/** All calls of an expression, in the order of the text. */
const callsIn = (root: unknown): Call[] => {
  const calls: Call[] = []
  const visit = (value: unknown, depth: number): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, depth)
    if (!isNode(value)) return
    const name = value.op === 'rcall' ? value.args[0] : undefined
    if (value.op === 'rcall') calls.push(readCall(value, depth))
    visit(value.args, depth + (name !== undefined && LOOPS.has(name) ? 1 : 0))
  }
  visit(root, 0)
  return calls.toSorted((a, b) => a.receiverEnd - b.receiverEnd)
}

const isNode = (value: unknown): value is cel.ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'range' in value

const readCall = ({ args, range }: cel.ASTNode & { op: 'rcall' }, depth: number): Call => {
  const [name, receiver, [first]] = args
  const pattern = first?.op === 'value' && typeof first.args === 'string' ? first.args : undefined
  return { name, depth, start: range.start, receiverEnd: receiver.range.end, pattern }
}

/** Renames one call; from the last to the first, so that the places before it stay. */
const useLinearMatches = (text: string, { receiverEnd }: Call): string =>
  text.slice(0, receiverEnd) + text.slice(receiverEnd).replace(MATCHES, LINEAR_MATCHES)
