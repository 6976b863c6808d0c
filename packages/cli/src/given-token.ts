/** The option `--token`, shared by the commands that send a token. */
export const tokenOption = {
  type: 'string',
  value: 'TOKEN',
  description: 'The bearer token; by default from the variable AGENTIC_TOKEN. It is never shown.',
} as const

/** The message for an invalid token. It does not repeat the token. */
export const NO_TOKEN = 'the token has a character that is not allowed in tokens'

const TOKEN = /^[\x21-\x7e]+$/

/** Reads the token from the option or the environment; `false` if it is not a valid token. */
export function givenToken(option: string | undefined, env: NodeJS.ProcessEnv): string | undefined | false {
  const token = option ?? (env['AGENTIC_TOKEN'] || undefined)
  return token === undefined || TOKEN.test(token) ? token : false
}
