import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { agentic, projectFolder, readGateway, startProjectService, withoutRoutes } from './live-project.ts'

testWith('git', 'the difference that routes add shows is a patch', async (git) => {
  const port = await startProjectService()
  const folder = projectFolder(withoutRoutes)
  const before = readGateway(folder)
  const { stdout } = await agentic(`routes add gateway.yaml --from http://127.0.0.1:${port}`, folder, port)
  const written = readGateway(folder)
  writeFileSync(join(folder, 'change.diff'), stdout)
  writeFileSync(join(folder, 'gateway.yaml'), before)
  expect(spawnSync(git, ['apply', '-p0', 'change.diff'], { cwd: folder }).status).toBe(0)
  expect(readGateway(folder)).toBe(written)
})
