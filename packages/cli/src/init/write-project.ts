import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import type { ChosenPackages } from './choose-packages.ts'
import { documentFiles } from './document-files.ts'
import { InitError } from './init-error.ts'
import { readOpenApi } from './openapi.ts'
import { packageFile, testedVersions, VENDOR_FOLDER, vendorSection } from './package-file.ts'
import { planOperations } from './plan-operations.ts'
import { templateFiles } from './template.ts'

/** A project before it is written. */
export interface PlannedProject {
  readonly folder: string
  readonly name: string
  /** The texts by path; package.json is not among them. */
  readonly files: ReadonlyMap<string, string>
  /** Parts of the document that were left out. */
  readonly notes: readonly string[]
}

/** Plans a project for an empty or new folder, from the template or an OpenAPI document; throws an `InitError`. */
export function planProject(folder: string, from: string | undefined): PlannedProject {
  refuseFull(folder)
  const name = nameFor(folder)
  const schema = ['gateway.schema.json', schemaText()] as const
  const template = templateFiles(name)
  if (from === undefined) return { folder, name, files: new Map([...template, schema]), notes: [] }
  const api = readOpenApi(from)
  const { operations, notes: planned } = planOperations(api)
  const notes = [...planned]
  const note = (text: string) => void notes.push(text)
  const files = new Map([...documentFiles({ name, template, operations, api, note }), schema])
  return { folder, name, files, notes }
}

/** Writes a planned project with its packages; returns the paths. */
export function writeProject({ folder, name, files }: PlannedProject, packages: ChosenPackages): string[] {
  const all = new Map([['package.json', packageFile(name, packages)], ...files])
  all.set('README.md', `${files.get('README.md') ?? ''}${vendorSection(packages)}`)
  for (const [path, text] of all) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    // A file created in the meantime is not replaced.
    writeFileSync(file, text, { flag: 'wx' })
  }
  return [...all.keys(), ...copyTarballs(folder, packages)]
}

function copyTarballs(folder: string, { tarballs }: ChosenPackages): string[] {
  if (tarballs === undefined) return []
  mkdirSync(join(folder, VENDOR_FOLDER))
  return [...tarballs.files.values()].map((file) => {
    copyFileSync(join(tarballs.folder, file), join(folder, VENDOR_FOLDER, file))
    return `${VENDOR_FOLDER}/${file}`
  })
}

function refuseFull(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw new InitError(`${folder} is not a folder that can be read`)
  }
  throw new InitError(`${folder} is not empty: name an empty folder or a new one`)
}

/** A valid npm name for the folder. */
function nameFor(folder: string): string {
  const plain = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
  const name = plain.replaceAll(/^-+|-+$/g, '').slice(0, 100) || 'my-agent'
  // npm refuses to install a package into a project of the same name.
  return name === 'agentic-rest' || Object.hasOwn(testedVersions, name) ? `${name}-agent` : name
}

function schemaText(): string {
  return readFileSync(
    createRequire(import.meta.url).resolve('@agentic-rest/gateway/gateway.schema.json'),
    'utf8',
  )
}
