import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchSources } from './watch-sources.ts'

/** A watched folder with a source, a folder below and installed packages. */
function watched() {
  const folder = mkdtempSync(join(tmpdir(), 'watch-sources-'))
  for (const name of ['lib', 'node_modules/p', '.git']) mkdirSync(join(folder, name), { recursive: true })
  const write = (file: string) => writeFileSync(join(folder, file), `// ${Math.random()}`)
  for (const file of ['main.ts', 'lib/a.ts']) write(file)
  let told: string[] = []
  const unwatch = watchSources(folder, (file) => told.push(file))
  onTestFinished(() => {
    unwatch()
    rmSync(folder, { recursive: true })
  })
  /** As many editors save: a new file takes the name of the old one. */
  const saveByRename = (file: string) => {
    write('.saved')
    renameSync(join(folder, '.saved'), join(folder, file))
  }
  const noticed = async (file: string) => {
    await expect.poll(() => told, { timeout: 60_000 }).toEqual([file])
    told = []
  }
  return { folder, write, saveByRename, noticed, told: () => told }
}

test('every save is noticed, also those by rename, beside installed packages and below', async () => {
  const { write, saveByRename, noticed } = watched()
  for (const file of ['main.ts', 'lib/a.ts'])
    for (const save of [write, saveByRename, saveByRename, write, saveByRename]) {
      save(file)
      await noticed(file)
    }
})

test('new folders are watched, also one in the place of another', async () => {
  const { folder, write, saveByRename, noticed } = watched()
  mkdirSync(join(folder, 'new/deep'), { recursive: true })
  write('new/deep/b.ts')
  await noticed('new/deep/b.ts')
  saveByRename('new/deep/b.ts')
  await noticed('new/deep/b.ts')
  rmSync(join(folder, 'new'), { recursive: true })
  await noticed('new/deep/b.ts')
  mkdirSync(join(folder, 'new'))
  write('new/c.ts')
  await noticed('new/c.ts')
  write('new/c.ts')
  await noticed('new/c.ts')
})

test('packages, hidden folders and other files are not sources', async () => {
  const { write, noticed, told } = watched()
  for (const file of ['node_modules/p/index.js', '.git/x.json', 'data.db']) write(file)
  write('main.ts')
  await noticed('main.ts')
  expect(told()).toEqual([])
})
