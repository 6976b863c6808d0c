/** The option for a token, for every command that sends one. */
export const tokenOption = {
  type: 'string',
  value: 'TOKEN',
  description: 'The bearer token, else that of the variable AGENTIC_TOKEN. It is never shown.',
} as const

/** What is wrong with a token that is none; it does not repeat it. */
export const NO_TOKEN = 'the token has a character that none can have'

const TOKEN = /^[\x21-\x7e]+$/

/** The token of the option or of the environment; nothing where there is none, `false` where it can be no token. */
export function givenToken(option: string | undefined, env: NodeJS.ProcessEnv): string | undefined | false {
  const token = option ?? (env['AGENTIC_TOKEN'] || undefined)
  return token === undefined || TOKEN.test(token) ? token : false
}
