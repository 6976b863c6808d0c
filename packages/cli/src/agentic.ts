import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import type { CommandRow } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp, overview } from './help.ts'
import { exitCodes, flushed, type Host } from './host.ts'
import { parseArguments } from './parse-arguments.ts'
import { readVersion } from './version.ts'

const LINGER_MS = 1000
const helpFlags = ['--help', '-h']
const versionFlags = ['--version', '-v']

/** Runs the command line of this process. Node ends the process after the last write. */
export async function runProcess(host: Host & Pick<NodeJS.Process, 'argv' | 'exitCode'>): Promise<void> {
  const errors = watchWriteErrors(host)
  try {
    host.exitCode = await runAgentic(host.argv.slice(2), host)
  } catch (error) {
    host.stderr.write(`agentic failed: ${error instanceof Error ? error.stack : String(error)}\n`)
    host.exitCode = exitCodes.failed
  }
  await flushed(host)
  // A module of plugins.custom may leave a timer or a socket open, which would keep a command such as check from ending.
  setTimeout(() => host.exit(), LINGER_MS).unref()
  if (errors.size === 0) return
  for (const code of errors) host.stderr.write(`agentic: not all of the result could be written (${code})\n`)
  // A script that reads only the exit code must not mistake a lost result for a success.
  if (host.exitCode === exitCodes.ok) host.exitCode = exitCodes.failed
}

/** Collects the codes of write errors. EPIPE is not one: a reader such as `head` has closed the pipe on purpose. */
function watchWriteErrors({ stdout, stderr }: Host): ReadonlySet<string> {
  const codes = new Set<string>()
  // A stream error without a listener would end the process (F10).
  const add = ({ code = 'unknown' }: NodeJS.ErrnoException) => void (code !== 'EPIPE' && codes.add(code))
  for (const stream of [stdout, stderr]) stream.on('error', add)
  return codes
}

/** Runs one command line; resolves with the exit code. */
export async function runAgentic(args: readonly string[], host: Host): Promise<number> {
  const [first, ...rest] = asFlag(args)
  if (first === undefined) return print(host.stderr, overview(commands, host.stderr), exitCodes.invalid)
  if (helpFlags.includes(first)) return print(host.stdout, overview(commands, host.stdout))
  if (versionFlags.includes(first)) return print(host.stdout, versionLine())
  const row = commands.find(({ name }) => name === first)
  return row === undefined ? refuse(host, 'agentic', [wrongWord(first)]) : await runCommand(row, rest, host)
}

/** `agentic help check` means `agentic check --help`. */
function asFlag(args: readonly string[]): readonly string[] {
  return args[0] === 'help' ? [...args.slice(1, 2), '--help'] : args
}

async function runCommand(row: CommandRow, args: readonly string[], host: Host): Promise<number> {
  const command = await row.load()
  if (asksForHelp(args)) return print(host.stdout, commandHelp(command, host.stdout))
  const parsed = parseArguments(command, args)
  if (!parsed.ok) return refuse(host, `agentic ${command.name}`, parsed.faults)
  return await command.run(parsed.given, host)
}

// A help flag wins over every other argument.
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).some((arg) => helpFlags.includes(arg))
}

function versionLine(): string {
  return `agentic ${readVersion()} (profile ${PROFILE_VERSION}, Node ${process.version})`
}

function wrongWord(word: string): string {
  const isOption = word.startsWith('-')
  const candidates = isOption ? ['--help', '--version'] : commands.map(({ name }) => name)
  return `unknown ${isOption ? 'option' : 'command'} ${JSON.stringify(word)}${didYouMean(word, candidates)}`
}

function refuse(host: Host, command: string, faults: readonly string[]): number {
  const lines = faults.map((fault) => `${command}: ${fault}`)
  return print(
    host.stderr,
    [...lines, `Run "npx ${command} --help" for how to use it.`].join('\n'),
    exitCodes.invalid,
  )
}

function print(stream: NodeJS.WriteStream, text: string, code: number = exitCodes.ok): number {
  stream.write(`${text}\n`)
  return code
}
