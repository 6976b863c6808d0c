import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mayImport } from './checks/import-directions.ts'
import { codeText, markdownTable, tableText } from './generated.ts'
import { readWorkspaces } from './workspaces.ts'

/** One package or example: its folder and, in one sentence, what it is for. */
export interface Room {
  readonly folder: string
  readonly purpose: string
}

/** Every workspace, with the sentence that its package.json says about itself. */
export function readRooms(root: string): Room[] {
  return readWorkspaces(root).map(({ folder, manifest }) => ({
    folder,
    purpose: (manifest.description ?? '').replace(/ ?Supports Agentic Profile v[\d.]+$/, ''),
  }))
}

/** The workspaces as a page lists them. */
export function packagesTable(root: string): string {
  const rows = readRooms(root).map(({ folder, purpose }) => [
    `[${codeText(folder)}](${folder})`,
    tableText(purpose),
  ])
  return markdownTable(['Folder', 'What lives there'], rows)
}

/** The directions that imports may take between the rooms that there are. */
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
