import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { ask } from '../harness/ask.ts'
import { expectMounted } from './expect-mounted.ts'

/** In a separate process: vitest resolves a module of Express to its `import` form. */
async function startExpress(mountPath: string): Promise<string> {
  const script = `${import.meta.dirname}/express-server.ts`
  const child = spawn(process.execPath, ['--conditions=agentic-source', script, mountPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return `http://127.0.0.1:${port}`
}

it('a service is mounted in Express, below a path of its own and before body parsers', async () => {
  const url = await startExpress('/agent')
  await expectMounted(`${url}/agent`)
  expect((await ask(`${url}/hello`)).text).toBe('hello')
  expect((await ask(`${url}/echo`, { json: { name: 'Bo' } })).text).toBe('{"name":"Bo"}')
})

it('a service is mounted in Express at the root, after the routes of the application', async () => {
  const url = await startExpress('/')
  await expectMounted(url)
  expect((await ask(`${url}/hello`)).text).toBe('hello')
})
