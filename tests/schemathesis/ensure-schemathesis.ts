import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const requirements = join(import.meta.dirname, 'requirements.txt')
const MAX_INSTALL_MS = 240_000

/** The path of Schemathesis, or the reason for its absence and how to get it. */
export type Availability = { readonly path: string } | { readonly missing: string }

/** Finds the installed Schemathesis of `requirements.txt`; otherwise installs it for this user, outside the repository. */
export function ensureSchemathesis(): Availability {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'agentic-rest', `schemathesis-${digest}`)
  const path = join(folder, 'bin/schemathesis')
  if (existsSync(path)) return { path }
  const obstacle = install(folder)
  if (obstacle === undefined) return { path }
  const command = `python3 -m venv ${folder} && ${folder}/bin/pip install -r ${requirements}`
  return { missing: `${obstacle}; enable with: ${command}` }
}

/** Says why it could not be installed. Packages as wheels only: the source of one may run code when it is built. */
function install(folder: string): string | undefined {
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
