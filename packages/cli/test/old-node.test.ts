import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentic, folderWith } from './harness/run-agentic.ts'

// The program reads the version at its load, so a preloaded module can replace it.
function runOn(version: string) {
  const folder = folderWith({
    'old.cjs': `Object.defineProperty(process.versions, 'node', { value: '${version}' });
      Object.defineProperty(process, 'version', { value: 'v${version}' })`,
  })
  return spawnSync(process.execPath, ['--require', `${folder}/old.cjs`, agentic, '--version'], {
    encoding: 'utf8',
  })
}

test.each(['12.22.12', '18.20.0', '23.11.0'])(
  'Node %s is told what is needed and how to get it',
  (version) => {
    expect(runOn(version)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `agentic needs Node 24 or newer, and this is v${version}.
Install it from https://nodejs.org/en/download or with a version manager, for example: nvm install 24
In a checkout of Agentic REST on Linux, npm install brings it along: use npx agentic.
`,
    })
  },
)

// An old Node on this machine is tested itself: it must not fail with a syntax error.
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (path) => existsSync(path) && majorOf(path) < 24,
)

function majorOf(path: string): number {
  return Number(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.replace(/^v(\d+).*/s, '$1'))
}

test.skipIf(oldNode === undefined)('an old Node of this machine says so itself (where there is one)', () => {
  const { status, stdout, stderr } = spawnSync(oldNode ?? '', [agentic, 'check', 'gateway.yaml'], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^agentic needs Node 24 or newer, and this is v\d+\.\d+\.\d+\.\nInstall it from /)
})

test.each(['24.0.0', '26.1.0'])('Node %s passes', (version) => {
  expect(runOn(version)).toMatchObject({ status: 0, stderr: '' })
})
