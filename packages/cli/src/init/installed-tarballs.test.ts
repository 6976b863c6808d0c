import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findTarballs } from './installed-tarballs.ts'

/** A project with these dependencies and tarballs in `vendor`; returns its folder. */
function project(manifest: object, files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-installed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'vendor'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  for (const file of files) writeFileSync(join(folder, 'vendor', file), '')
  return folder
}

const program = (folder: string) => join(folder, 'node_modules/agentic-rest/dist/init/installed-tarballs.js')
const vendored = {
  dependencies: { '@agentic-rest/service': 'file:vendor/service.tgz', zod: '4.0.0' },
  devDependencies: { 'agentic-rest': 'file:vendor/command.tgz' },
  overrides: { '@agentic-rest/profile': 'file:vendor/profile.tgz' },
}
const all = ['service.tgz', 'command.tgz', 'profile.tgz']

test('a project with vendored packages has their tarballs', () => {
  const folder = project(vendored, all)
  expect(findTarballs(program(folder))).toEqual({
    folder: join(folder, 'vendor'),
    files: new Map([
      ['@agentic-rest/profile', 'profile.tgz'],
      ['agentic-rest', 'command.tgz'],
      ['@agentic-rest/service', 'service.tgz'],
    ]),
  })
})

test.each([
  ['plain versions', { dependencies: { 'agentic-rest': '1.2.3' } }, []],
  ['a tarball that is gone', vendored, all.slice(1)],
])('a project with %s has none', (_, manifest, files) => {
  expect(findTarballs(program(project(manifest, files)))).toBeUndefined()
})

test('a program outside node_modules has none', () => {
  expect(findTarballs(join(project(vendored, all), 'packages/cli/src/init/x.ts'))).toBeUndefined()
})
