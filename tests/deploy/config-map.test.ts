import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, onTestFinished, test } from 'vitest'
import { configuration } from '../../packages/cli/test/harness/configuration.ts'
import { spawnAgentic } from '../../packages/cli/test/harness/run-agentic.ts'

/** A volume as Kubernetes mounts a ConfigMap: files are links through `..data`, and an update swaps that link. */
function mountedVolume(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-config-map-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const time = new Date('2026-01-01T00:00:00Z')
  let version = 0
  const update = (next: string) => {
    const former = `..version_${version}`
    version += 1
    const data = `..version_${version}`
    mkdirSync(join(folder, data))
    writeFileSync(join(folder, data, 'gateway.yaml'), next)
    // The times of the files tell nothing.
    utimesSync(join(folder, data, 'gateway.yaml'), time, time)
    symlinkSync(data, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    rmSync(join(folder, former), { recursive: true, force: true })
  }
  update(text)
  symlinkSync('..data/gateway.yaml', join(folder, 'gateway.yaml'))
  return { file: join(folder, 'gateway.yaml'), update }
}

async function startNamed(from: string): Promise<string> {
  const { url } = await startServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ from })),
  )
  return url
}

test('a gateway with --watch follows the swapped link of a ConfigMap, and keeps the last good file', async () => {
  const texts = await Promise.all(
    ['one', 'two'].map(async (name) => configuration({ target: await startNamed(name) })),
  )
  // Same time and same size: only the link has changed.
  const [first = '', second = ''] = texts.map((text) =>
    text.padEnd(Math.max(...texts.map(({ length }) => length))),
  )
  const volume = mountedVolume(first)
  const size = statSync(volume.file).size
  const gateway = spawnAgentic(['start', '-c', volume.file, '--watch'])
  const { port } = await gateway.logged('the gateway is listening')
  const answer = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/items/1`, { headers: { 'X-Tenant-ID': 'acme' } })
    return await response.json()
  }
  expect(await answer()).toEqual({ from: 'one' })

  volume.update(second)
  expect(statSync(volume.file).size).toBe(size)
  await gateway.logged('the configuration was reloaded')
  expect(await answer()).toEqual({ from: 'two' })

  volume.update('routes: [')
  await gateway.logged('the reload was refused')
  expect(await answer()).toEqual({ from: 'two' })

  volume.update(first)
  await expect.poll(answer).toEqual({ from: 'one' })
  gateway.child.kill('SIGTERM')
  expect(await gateway.ended).toMatchObject({ code: 0 })
})
