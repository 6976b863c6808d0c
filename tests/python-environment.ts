import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const MAX_INSTALL_MS = 240_000

/** The folder with the installed packages, or the reason for their absence and how to get them. */
export type PythonEnvironment = { readonly folder: string } | { readonly missing: string }

/**
 * Finds the installed packages of a `requirements.txt`; otherwise installs them for this user, outside the repository.
 * `program` is a program of the packages, which shows that the installation is complete.
 */
export function ensurePythonEnvironment(program: string, requirements: string): PythonEnvironment {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'agentic-rest', `${program}-${digest}`)
  if (existsSync(join(folder, 'bin', program))) return { folder }
  const obstacle = install(folder, requirements)
  if (obstacle === undefined) return { folder }
  const command = `python3 -m venv ${folder} && ${folder}/bin/pip install -r ${requirements}`
  return { missing: `${obstacle}; enable with: ${command}` }
}

/** Says why it could not be installed. Packages as wheels only: the source of one may run code when it is built. */
function install(folder: string, requirements: string): string | undefined {
  const version = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 10))'])
  if (version.error !== undefined) return 'there is no python3'
  if (String(version.stdout).trim() !== 'True') return 'python3 is older than 3.10'
  // A folder that a killed run left behind has no program.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, '..'), { recursive: true })
  const steps = [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '-q', '--only-binary', ':all:', '-r', requirements],
  ] as const
  for (const [program, ...args] of steps) {
    const { status } = spawnSync(program, args, { stdio: 'ignore', timeout: MAX_INSTALL_MS })
    if (status === 0) continue
    rmSync(folder, { recursive: true, force: true })
    return `${[program, ...args.slice(0, 2)].join(' ')} failed`
  }
  return undefined
}
