import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, spawnAgentic } from '../../packages/cli/test/harness/run-agentic.ts'
import { ask, childrenOf, workersConfig } from './start-workers.ts'

const refusing = (code: string) => `
export const plugin: object = {
  name: 'mine',
  create: () => ({ request: () => ({ type: 'forbidden', code: '${code}', message: 'No.' }) }),
}
`

test.each([
  ['another version of it', (file: string) => writeFileSync(file, refusing('TWO'))],
  ['a broken version of it', (file: string) => writeFileSync(file, 'export const plugin = {')],
  ['no such file', (file: string) => rmSync(file)],
])('replaced workers run the module that was loaded last, when the folder has %s', async (_, change) => {
  const plugins = { custom: [{ name: 'mine', module: './mine.ts' }] }
  const cwd = folderWith({
    'gateway.yaml': workersConfig({ target: 'http://127.0.0.1:9', plugins }),
    'mine.ts': refusing('ONE'),
  })
  const { logged, log, child, ended } = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd })
  const { port } = await logged('the gateway is listening')
  change(join(cwd, 'mine.ts'))
  const workers = childrenOf(child.pid ?? 0)
  expect(workers).toHaveLength(2)
  for (const pid of workers) process.kill(pid, 'SIGKILL')
  const replaced = () => log.filter(({ msg }) => msg === 'a worker has taken the place of one that ended')
  await expect.poll(() => replaced().length).toBe(2)
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(`http://127.0.0.1:${port}/items/1`)))
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(['ONE', 'ONE', 'ONE', 'ONE'])
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})
