/** The environment variables for references. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text with its references filled in, its variables and their faults. */
export interface Interpolated {
  readonly text: string
  readonly variables: readonly string[]
  readonly faults: readonly string[]
}

// `$${` comes first, so that it never starts a reference; the last form catches an unclosed `${`.
const REFERENCE = /\$\$\{|\$\{([^{}]*)\}|\$\{/g
const BODY = /^([A-Za-z_][A-Za-z0-9_]*)(?::([-?])([\s\S]*))?$/
const ONE_REFERENCE = /^\$\{[^{}]*\}$/

/** Most characters that the references of one text may insert. */
export const MAX_TEXT_LENGTH = 65_536

/** Whether the text is a single reference, so that its value may be a number or a boolean. */
export const isOneReference = (text: string): boolean => ONE_REFERENCE.test(text)

/** Fills in `${VAR}`, `${VAR:-default}` and `${VAR:?message}`; `$${` stands for a literal `${`. */
export const interpolate = (text: string, environment: Environment): Interpolated => {
  const variables = new Set<string>()
  // A set: a text can repeat one mistake half a million times.
  const faults = new Set<string>()
  let length = 0
  const filled = text.replace(REFERENCE, function fillIn(match: string, body: string | undefined) {
    if (match === '$${') return '${'
    const reference = BODY.exec(body ?? '')
    if (reference === null) {
      faults.add(
        'is not a valid reference, write ${NAME}, ${NAME:-default}, ${NAME:?message} or $${ for a literal ${',
      )
      return ''
    }
    const [, name = '', operator, operand = ''] = reference
    variables.add(name)
    const resolved = resolve({ name, operator, operand }, environment)
    if (resolved.fault !== undefined) faults.add(resolved.fault)
    length += resolved.value?.length ?? 0
    if (length <= MAX_TEXT_LENGTH) return resolved.value ?? ''
    faults.add(`becomes longer than ${MAX_TEXT_LENGTH} characters`)
    return ''
  })
  return { text: filled, variables: [...variables], faults: [...faults] }
}

interface Reference {
  name: string
  operator: string | undefined
  operand: string
}

/** As in the shell, an operator with a colon treats an empty variable like an unset one. */
const resolve = (
  { name, operator, operand }: Reference,
  environment: Environment,
): { value?: string; fault?: string } => {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  if (operator === undefined) {
    return value === undefined ? { fault: `environment variable ${name} is not set` } : { value }
  }
  if (value !== undefined && value !== '') return { value }
  if (operator === '-') return { value: operand }
  return { fault: `environment variable ${name} is not set${operand === '' ? '' : `: ${operand}`}` }
}
