import { readFileSync } from 'node:fs'

/** The paths of `initdb` and `postgres`, or a hint how to install them. */
export type PostgresBinaries =
  | { readonly initdb: string; readonly postgres: string }
  | { readonly missing: string }

type EnsureProgram = (needed: {
  readonly program: string
  readonly package: string
  readonly folders: readonly string[]
}) => { readonly path: string } | { readonly missing: string }

// The set-up that installs Debian packages belongs to the whole repository, and packages import no relative path
// outside of themselves.
const debianPackage = new URL('../../../tests/debian-package.ts', import.meta.url).href
const { ensureProgram } = (await import(/* @vite-ignore */ debianPackage)) as { ensureProgram: EnsureProgram }

/** Finds the programs of the server; installs Debian's package if it is missing and the machine allows it. */
export function findPostgres(): PostgresBinaries {
  const initdb = find('initdb')
  const postgres = find('postgres')
  if ('missing' in initdb) return initdb
  return 'missing' in postgres ? postgres : { initdb: initdb.path, postgres: postgres.path }
}

function find(program: string) {
  return ensureProgram({ program, package: 'postgresql', folders: ['/usr/lib/postgresql/*/bin'] })
}

/** PostgreSQL refuses to run as root, so it runs as one of these users. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  return users.get('postgres') ?? users.get('nobody')
}
