import { createRequire } from 'node:module'
import type * as re2js from 're2js'

const MAX_PATTERN_LENGTH = 10_000

/** Returns the fault of an operator's pattern, if it has one; never the pattern, which may be a secret. */
export const checkRulePattern = (pattern: string): string | undefined => {
  const fault = syntaxFault(pattern)
  if (fault !== undefined) return `is not a valid regular expression: ${fault}`
  if (pattern.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`
  const unsupported = patternFault(pattern)
  return unsupported && `uses what RE2 does not support: ${unsupported}`
}

const syntaxFault = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    // V8 says "Invalid regular expression: /<pattern>/u: <reason>"; only the reason is shown.
    return String(error).split(': ').at(-1)
  }
}

/** Returns the reason why RE2 cannot compile a pattern, if there is one; without the pattern, which may be a secret. */
export const patternFault = (pattern: string): string | undefined => {
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof loadRe2().RE2JSException)) throw error
    return error.message.replace(/^error parsing regexp: /, '').replace(/: `[\s\S]*$/, '')
  }
}

/**
 * Compiles a pattern with RE2, which searches without backtracking: a backtracking pattern could stop the gateway (F9).
 * Throws `RE2JSException` for unsupported syntax.
 */
export const compilePattern = (pattern: string): re2js.RE2JS => {
  const { RE2JS } = loadRe2()
  return RE2JS.compile(RE2JS.translateRegExp(pattern))
}

// Loaded with the first pattern: most configurations have none.
const loadRe2 = () => createRequire(import.meta.url)('re2js') as typeof re2js
