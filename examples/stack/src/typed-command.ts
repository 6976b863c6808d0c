/** A script of this repository that starts something of the stack. */
export type Script = 'start' | 'token' | 'tour'

const npmCommands = { start: 'npm start', token: 'npm run --silent token', tour: 'npm run tour' } as const

/** The script that this process runs for; none where it was started without npm, or by a script of somebody's own. */
export function runningScript({ npm_lifecycle_event: name = '' }: NodeJS.ProcessEnv): Script | undefined {
  return Object.hasOwn(npmCommands, name) ? (name as Script) : undefined
}

/** A script as it is typed: npm keeps every option that is not behind `--` for itself. */
export function npmCommand(script: Script, options: string): string {
  return options === '' ? npmCommands[script] : `${npmCommands[script]} -- ${options}`
}

/** A command as the reader can type it, which depends on how this one was started. */
export function typedCommand(script: 'start' | 'token', options: string, env: NodeJS.ProcessEnv): string {
  if (runningScript(env) !== undefined) return npmCommand(script, options)
  const program = env['npm_command'] === 'exec' ? 'npx agentic-rest' : 'agentic'
  return `${program} ${script === 'start' ? 'dev' : script} ${options}`.trimEnd()
}
