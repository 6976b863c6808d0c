/** Why an operator's pattern does not compile, if it does not. */
export const checkRulePattern = (pattern: string): string | undefined => {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    // V8 says "Invalid regular expression: /<pattern>/u: <reason>"; only the reason is shown, the pattern may be a secret.
    return `is not a valid regular expression: ${String(error).split(': ').at(-1)}`
  }
}
