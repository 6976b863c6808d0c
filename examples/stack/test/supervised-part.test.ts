import { freePortBase } from '@agentic-rest/testing/free-port-base'
import { expect, onTestFinished, test } from 'vitest'
import { PartFailedError } from '../src/index.ts'
import type { PartCommand } from '../src/part-process.ts'
import { isListening } from '../src/ports.ts'
import { type SupervisedPart, supervisePart } from '../src/supervised-part.ts'

interface Supervised extends SupervisedPart {
  readonly port: number
  readonly lines: string[]
  /** Resolves when this many things have happened to it. */
  events(count: number): Promise<string[]>
}

async function supervise(program: (port: number) => string): Promise<Supervised> {
  const port = await freePortBase()
  const lines: string[] = []
  const happened: string[] = []
  let wake = () => {}
  const command: PartCommand = {
    name: 'toy',
    arguments: ['-e', program(port)],
    env: process.env,
    isReady: () => isListening({ port, host: '127.0.0.1' }),
    onStdout: (line) => lines.push(line),
    onStderr: () => undefined,
  }
  const part = supervisePart(command, (message) => {
    happened.push(message)
    wake()
  })
  onTestFinished(() => part.stop())
  return {
    ...part,
    port,
    lines,
    async events(count) {
      while (happened.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return happened
    },
  }
}

const listening = (port: number) => `require('node:net').createServer().listen(${port}, '127.0.0.1')`

test('a part is ready when it answers and ends when it is told to', async () => {
  const part = await supervise((port) => `console.log('hello'); ${listening(port)}`)
  await part.start()
  // What it prints comes another way than that it listens.
  await expect.poll(() => part.lines).toEqual(['hello'])
  await part.stop()
  expect(await isListening({ port: part.port, host: '127.0.0.1' })).toBe(false)
})

test('a part that ends before it answers fails its start, with the last it said', async () => {
  const part = await supervise(() => `console.error('the reason'); process.exitCode = 3`)
  const failure = await part.start().catch((error) => error)
  expect(failure).toBeInstanceOf(PartFailedError)
  expect(failure.message).toBe('toy did not start: it ended with 3\n  the reason')
})

test('a part that ends later is started again, each time as another process', async () => {
  const part = await supervise(listening)
  await part.start()
  const pids = [part.pid()]
  for (const ended of [1, 2]) {
    process.kill(part.pid() ?? 0, 'SIGKILL')
    await part.events(ended * 2)
    pids.push(part.pid())
  }
  expect(new Set(pids).size).toBe(3)
  expect(await part.events(4)).toEqual([
    'ended by SIGKILL; it is started again',
    `runs again as process ${pids[1]}`,
    'ended by SIGKILL; it is started again',
    `runs again as process ${pids[2]}`,
  ])
})

test('a part that is stopped while it waits to be started again stays ended', async () => {
  const part = await supervise(listening)
  await part.start()
  process.kill(part.pid() ?? 0, 'SIGKILL')
  await part.events(1)
  await part.stop()
  expect(await isListening({ port: part.port, host: '127.0.0.1' })).toBe(false)
  expect(await part.events(1)).toHaveLength(1)
})

test('a part that was stopped before its start is not started', async () => {
  const part = await supervise(listening)
  await part.stop()
  await part.start()
  expect(part.pid()).toBeUndefined()
})

test('a restart is a new process at once, and no failure', async () => {
  const part = await supervise((port) => `console.log(process.pid); ${listening(port)}`)
  await part.start()
  await part.restart()
  expect(await part.events(1)).toEqual([expect.stringMatching(/^runs again as process \d+$/)])
  await expect.poll(() => part.lines.length).toBe(2)
  expect(part.lines[1]).toBe(String(part.pid()))
})
