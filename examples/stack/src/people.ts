import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type ConfigFault,
  formatPath,
  type GatewayConfig,
  type Person,
  printable,
} from '@agentic-rest/gateway'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'

/** The people of a valid file, or all its faults. */
export type PeopleResult =
  | { readonly ok: true; readonly people: readonly Person[] }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] }

/** The name of the file, beside the configuration of the gateway. */
export const PEOPLE_FILE = 'people.yaml'

/** Reads the people of development beside a gateway's configuration; undefined without such a file. */
export function peopleBeside(gatewayFile: string): PeopleResult | undefined {
  const file = join(dirname(gatewayFile), PEOPLE_FILE)
  return existsSync(file) ? readPeople(file) : undefined
}

/** The people of a gateway without such a file, with the tenants and roles of its configuration. */
export function peopleOf({ plugins, routes }: Pick<GatewayConfig, 'plugins' | 'routes'>): Person[] {
  const [first = 'acme', second] = plugins['tenant-injector'].allowed ?? ['acme', 'globex']
  const roles = [...new Set(routes.flatMap((route) => route.roles))]
  return [
    { sub: 'alice', tenant: first, roles },
    { sub: 'bob', tenant: first, roles: [] },
    // Somebody else has to approve what alice asks for.
    { sub: 'dave', tenant: first, roles },
    ...(second === undefined ? [] : [{ sub: 'carol', tenant: second, roles }]),
  ]
}

function readPeople(file: string): PeopleResult {
  try {
    return parsePeople(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)), file)
  } catch {
    return refuse(file, 'the file cannot be read as UTF-8 text')
  }
}

// The roles of a caller travel as one header, joined with commas.
const role = z
  .string()
  .regex(/^(?! )[\x20-\x2B\x2D-\x7E]+(?<! )$/, 'expected printable text without commas and outer blanks')

const person = z.strictObject({
  name: z.string().regex(/^[\x21-\x7E]{1,256}$/, 'expected 1 to 256 printable characters without blanks'),
  tenant: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 letters, digits, dots, dashes or underscores'),
  roles: z.array(role).default([]),
})

const peopleSchema = z.strictObject({ people: z.array(person).min(1) })

const MAX_LENGTH = 1_048_576
const MAX_ALIASES = 100

/** Reads people from YAML text; never throws. */
export function parsePeople(text: string, file: string): PeopleResult {
  if (text.length > MAX_LENGTH) return refuse(file, `the file is longer than ${MAX_LENGTH} characters`)
  try {
    return judge(text, file)
  } catch {
    // The library is recursive and throws for alias bombs.
    return refuse(file, 'the file is nested too deeply, or its aliases stand for too much')
  }
}

function refuse(file: string, message: string): PeopleResult {
  return { ok: false, faults: [{ file, line: 1, column: 1, path: '', message, kind: 'invalid' }] }
}

interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The fault is the key, not its value. */
  readonly atKey?: boolean
  readonly offset?: number
}

function judge(text: string, file: string): PeopleResult {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  // Further errors are consequences of the first syntax error.
  const syntax = document.errors.slice(0, 1).map(({ code, pos: [offset] }) => ({
    path: [],
    message: code === 'DUPLICATE_KEY' ? 'the same key is given twice' : 'not valid YAML here',
    offset,
  }))
  const value: unknown = syntax.length > 0 ? undefined : document.toJS({ maxAliasCount: MAX_ALIASES })
  const { data, error } = peopleSchema.safeParse(value ?? {}, { error: wordIssue })
  const findings = syntax.length > 0 ? syntax : (error?.issues.flatMap(toFindings) ?? repeatedNames(data))
  if (data !== undefined && findings.length === 0)
    return { ok: true, people: data.people.map(({ name, ...rest }) => ({ sub: name, ...rest })) }
  const faults = findings.map((finding): ConfigFault => {
    const { line, col } = lines.linePos(finding.offset ?? offsetOf(document, finding))
    const path = formatPath(finding.path.map((step) => (typeof step === 'number' ? step : String(step))))
    return {
      file,
      line: Math.max(line, 1),
      column: Math.max(col, 1),
      path,
      message: finding.message,
      kind: 'invalid',
    }
  })
  return { ok: false, faults: faults.toSorted((a, b) => a.line - b.line || a.column - b.column) }
}

function repeatedNames(data: z.output<typeof peopleSchema> | undefined): Finding[] {
  const names = data?.people.map(({ name }) => name) ?? []
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: ['people', index, 'name'], message: `duplicate name "${printable(name)}"` }],
  )
}

function toFindings(issue: z.core.$ZodIssue): Finding[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }]
  const known = Object.keys(issue.path.length === 0 ? peopleSchema.shape : person.shape)
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: `unknown key "${printable(key)}"${didYouMean(key, known)}`,
    atKey: true,
  }))
}

function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'too_small') return 'must not be empty'
  return issue.code === 'invalid_type' ? `expected ${kinds.get(issue.expected) ?? issue.expected}` : undefined
}

const kinds = new Map<string, string>([
  ['string', 'a text'],
  ['array', 'a list'],
  ['object', 'a map'],
])

/** The offset of a key or value; for a missing one, of the nearest existing one above it. */
function offsetOf(document: Document.Parsed, { path, atKey }: Finding): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path[length - 1]))
      : undefined
    const value = document.getIn(path.slice(0, length), true)
    const found = atKey === true && length === path.length ? pair?.key : (value ?? pair?.key)
    if (isNode(found)) return found.range?.[0] ?? 0
  }
  return 0
}
