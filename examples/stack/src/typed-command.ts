/** An npm script of this repository. */
export type Script = 'start' | 'tour'

const npmCommands = { start: 'npm start', tour: 'npm run tour' } as const

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
  const npmScript = script === 'start' ? npmScriptOf(env) : undefined
  if (npmScript !== undefined) return options === '' ? npmScript : `${npmScript} -- ${options}`
  return `${programOf(env)} ${script === 'start' ? 'dev' : script} ${options}`.trimEnd()
}

// The usual names for it. Any other script, such as one that runs tests, may do more than start.
const startScripts: ReadonlyMap<string, string> = new Map([
  ['start', npmCommands.start],
  ['dev', 'npm run dev'],
])

/** The npm script that starts this process, of any project. It has the other options of the command. */
export function npmScriptOf({ npm_lifecycle_event: event = '' }: NodeJS.ProcessEnv): string | undefined {
  return startScripts.get(event)
}

/** npx finds the command among the packages of a folder. If it had to fetch it, only the name of the package finds it. */
function programOf({
  npm_lifecycle_event: event,
  npm_command: command,
  PATH = '',
}: NodeJS.ProcessEnv): string {
  if (event === undefined && command === undefined) return 'agentic'
  return command === 'exec' && PATH.includes('/_npx/') ? 'npx agentic-rest' : 'npx agentic'
}
