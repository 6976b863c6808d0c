import { patternFault } from '../../plugins/prompt-sanitize/pattern-search.ts'

const MAX_PATTERN_LENGTH = 10_000

/** Why an operator's pattern cannot be used, if it cannot. */
export const checkRulePattern = (pattern: string): string | undefined => {
  const fault = syntaxFault(pattern)
  if (fault !== undefined) return `is not a valid regular expression: ${fault}`
  if (pattern.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`
  // What backtracks is not supported: it could stop the gateway (F9).
  const unsupported = patternFault(pattern)
  return unsupported && `uses what RE2 does not support: ${unsupported}`
}

const syntaxFault = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    // V8 says "Invalid regular expression: /<pattern>/u: <reason>"; only the reason is shown, the pattern may be a secret.
    return String(error).split(': ').at(-1)
  }
}
