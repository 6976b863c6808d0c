import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { newFolder, startStack } from '@agentic-rest/testing/start-stack'
import { expect, onTestFinished, test } from 'vitest'

const FIRST_START_SECONDS = 20
const LATER_START_SECONDS = 10

test('the first start of the stack takes less than 20 s, a later one less than 10 s', async () => {
  const folder = newFolder()
  const place = { portBase: await freePortBase(), data: folder.path }
  onTestFinished(() => folder.remove())
  const start = async () => {
    const stack = await startStack(place)
    stack.npm.kill('SIGTERM')
    await stack.ended
    return stack.startSeconds
  }
  const [first, later] = [await start(), await start()]
  process.stdout.write(`start of the stack: ${first.toFixed(1)} s, later ${later.toFixed(1)} s\n`)
  expect(first).toBeLessThan(FIRST_START_SECONDS)
  expect(later).toBeLessThan(LATER_START_SECONDS)
})
