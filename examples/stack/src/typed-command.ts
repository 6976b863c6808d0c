/** An npm script of this repository. */
export type Script = 'start' | 'token' | 'tour'

const npmCommands = { start: 'npm start', token: 'npm run --silent token', tour: 'npm run tour' } as const

const REPOSITORY = 'agentic-rest-workspace'

/** The script of this repository that runs this process; none without npm, and for a script of another project. */
export function runningScript(env: NodeJS.ProcessEnv): Script | undefined {
  const { npm_lifecycle_event: name = '' } = env
  return Object.hasOwn(npmCommands, name) && !isOtherProject(env) ? (name as Script) : undefined
}

function isOtherProject({ npm_package_name: name = REPOSITORY }: NodeJS.ProcessEnv): boolean {
  return name !== REPOSITORY
}

/** The command line of a script. npm needs `--` before options of the script. */
export function npmCommand(script: Script, options: string): string {
  return options === '' ? npmCommands[script] : `${npmCommands[script]} -- ${options}`
}

/** The command line for the user, depending on how this process was started. */
export function typedCommand(script: 'start' | 'token', options: string, env: NodeJS.ProcessEnv): string {
  if (runningScript(env) !== undefined) return npmCommand(script, options)
  const program = env['npm_command'] === 'exec' ? 'npx agentic-rest' : programOf(env)
  return `${program} ${script === 'start' ? 'dev' : script} ${options}`.trimEnd()
}

/** In a project with the package, npx finds the command. */
function programOf(env: NodeJS.ProcessEnv): string {
  return env['npm_lifecycle_event'] !== undefined && isOtherProject(env) ? 'npx agentic' : 'agentic'
}
