import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'

interface NpmOptions {
  readonly cwd: string
  readonly signal?: AbortSignal
  /** Gets each line of stdout. */
  readonly onLine?: (line: string) => void
}

/** How npm ended. `code` is null when it could not be run or was stopped. */
export interface NpmEnd {
  readonly code: number | null
  readonly stdout: string
  /** Stdout and stderr together. */
  readonly output: string
}

/** Runs npm to its end; never rejects. */
export async function runNpm(args: readonly string[], { cwd, signal, onLine }: NpmOptions): Promise<NpmEnd> {
  const child = spawn('npm', args, {
    cwd,
    env: environment(),
    ...(signal && { signal }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, output]: [string[], string[]] = [[], []]
  createInterface(child.stdout).on('line', (line) => {
    stdout.push(line)
    output.push(line)
    onLine?.(line)
  })
  createInterface(child.stderr).on('line', (line) => output.push(line))
  const failed = once(child, 'error').then(([error]) => output.push(String(error)))
  const [code] = await Promise.race([once(child, 'close'), failed.then(() => [null])])
  return { code, stdout: stdout.join('\n'), output: output.join('\n') }
}

/** Without the variables of an outer npm, which would work in its folder; with this Node first, for the build scripts. */
function environment(): NodeJS.ProcessEnv {
  const { npm_config_local_prefix: _, npm_config_package: __, PATH = '', ...env } = process.env
  return { ...env, PATH: [dirname(process.execPath), PATH].join(delimiter) }
}
