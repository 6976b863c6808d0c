import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mayImport } from './checks/import-directions.ts'
import { codeText, markdownTable, tableText } from './generated.ts'
import { readWorkspaces } from './workspaces.ts'

/** One package or example: its folder and its purpose in one sentence. */
export interface Room {
  readonly folder: string
  readonly purpose: string
}

/** All workspaces with the description of their package.json. */
export function readRooms(root: string): Room[] {
  return readWorkspaces(root).map(({ folder, manifest }) => ({
    folder,
    purpose: (manifest.description ?? '').replace(/ ?Supports Agentic Profile v[\d.]+$/, ''),
  }))
}

/** The table of workspaces. */
export function packagesTable(root: string): string {
  const rows = readRooms(root).map(({ folder, purpose }) => [
    `[${codeText(folder)}](${folder})`,
    tableText(purpose),
  ])
  return markdownTable(['Folder', 'What lives there'], rows)
}

/** The table of allowed imports between existing workspaces. */
export function importTable(root: string): string {
  const rows = Object.entries(mayImport)
    .filter(([room]) => isThere(root, room))
    .map(([room, others]) => [codeText(room), importsText(others)])
  const free = ['bench', 'chaos', 'tests', 'tools'].filter((folder) => isThere(root, folder))
  return markdownTable(['Room', 'May import'], [...rows, [free.map(codeText).join(', '), 'anything']])
}

function isThere(root: string, room: string): boolean {
  return existsSync(join(root, room.replace(/\/\*$/, '')))
}

function importsText(others: readonly string[]): string {
  return others.length === 0 ? 'nothing of ours' : others.map(codeText).join(', ')
}
