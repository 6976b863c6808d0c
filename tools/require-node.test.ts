import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const guard = join(import.meta.dirname, 'require-node.js')

// The guard reads the version when it is loaded; the test replaces the version before that.
function runOn(version: string): { status: number | null; stderr: string } {
  const source = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
    Object.defineProperty(process, 'version', { value: 'v${version}' });
    await import(${JSON.stringify(guard)})`
  return spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' })
}

test.each(['18.20.0', '20.20.2', '23.11.0'])('Node %s is refused with instructions', (version) => {
  const { status, stderr } = runOn(version)
  expect(status).toBe(1)
  expect(stderr).toMatch(`Agentic REST needs Node 24 or newer and this is v${version}.`)
  expect(stderr).toMatch('npm install')
})

test.each(['24.0.0', '26.1.0'])('Node %s is accepted silently', (version) => {
  expect(runOn(version)).toMatchObject({ status: 0, stderr: '' })
})

test('npm test, check, generate, freeze and start all run the guard first', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> }
  for (const name of ['test', 'check', 'generate', 'freeze', 'start']) {
    expect(scripts[name], name).toMatch(/^(exec )?node (--import=\.\/)?tools\/require-node\.js /)
  }
})
