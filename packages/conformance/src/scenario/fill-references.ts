/** The environment for references. */
export type Environment = Readonly<Record<string, string | undefined>>

// `$${` means a literal `${`.
const REFERENCE = /\$\$\{|\$\{([^{}]*)\}/g
const BODY = /^([A-Za-z_]\w*)(?::([-?])([\s\S]*))?$/

/** Replaces `${VAR}`, `${VAR:-default}` and `${VAR:?message}` as in the gateway's file. */
export function fillReferences(
  text: string,
  environment: Environment,
): { readonly text: string; readonly faults: readonly string[] } {
  const faults: string[] = []
  const filled = text.replace(REFERENCE, function fillIn(match, body: string | undefined) {
    if (match === '$${') return '${'
    const { value, fault } = look(body ?? '', environment)
    if (fault !== undefined) faults.push(fault)
    return value ?? ''
  })
  return { text: filled, faults }
}

function look(body: string, environment: Environment): { value?: string; fault?: string } {
  const reference = BODY.exec(body)
  if (reference === null)
    return { fault: 'a reference is written ${NAME}, ${NAME:-default} or ${NAME:?message}' }
  const [, name = '', operator, operand = ''] = reference
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  if (value !== undefined && (value !== '' || operator === undefined)) return { value }
  if (operator === '-') return { value: operand }
  return { fault: `environment variable ${name} is not set${operand === '' ? '' : `: ${operand}`}` }
}
