import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { ids, startStories, wholeStream } from './through-gateway.ts'

const run = promisify(execFile)

testWith('curl', 'curl -N prints the stream of the SDK', async (curl) => {
  const { url } = await startStories()
  const headers = Object.entries({ ...ids, Accept: 'text/event-stream', 'Content-Type': 'application/json' })
  const { stdout } = await run(curl, [
    '-sSN',
    ...headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...['-d', '{"topic":"mice"}', `${url}/stories`],
  ])
  expect(stdout).toBe(wholeStream)
})

testWith('chromium', 'fetch in Chromium reads the stream of the SDK', async () => {
  const { url: origin } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>')
  })
  const { url } = await startStories([origin])
  const browser = await sharedBrowser()
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  await page.goto(origin)
  const text = await page.evaluate(
    async ({ address, headers }) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: { ...headers, Accept: 'text/event-stream', 'Content-Type': 'application/json' },
        body: '{"topic":"mice"}',
      })
      let all = ''
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        all += part.value
      return all
    },
    { address: `${url}/stories`, headers: ids },
  )
  expect(text).toBe(wholeStream)
})

const HTTPX = `
import httpx2, sys, json
headers = {**json.loads(sys.argv[2]), "Accept": "text/event-stream"}
with httpx2.stream("POST", sys.argv[1], json={"topic": "mice"}, headers=headers) as response:
    for text in response.iter_text():
        sys.stdout.write(text)
`

testWith('mcp', 'httpx2 of Python reads the stream of the SDK', async (mcp) => {
  const { url } = await startStories()
  const python = join(dirname(mcp), 'python')
  const env = { PATH: process.env['PATH'], PYTHONIOENCODING: 'utf-8' }
  const { stdout } = await run(python, ['-c', HTTPX, `${url}/stories`, JSON.stringify(ids)], { env })
  expect(stdout).toBe(wholeStream)
})
