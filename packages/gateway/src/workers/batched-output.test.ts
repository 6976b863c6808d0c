import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createBatchedOutput } from './batched-output.ts'

const write = (output: ReturnType<typeof createBatchedOutput>, text: string) =>
  new Promise<Error | null | undefined>((resolve) => output.write(text, resolve))

test('what is written arrives, and its writer is told when', async () => {
  const stdout = new PassThrough()
  const output = createBatchedOutput(stdout)
  const startedAt = performance.now()
  expect(await write(output, 'small')).toBeFalsy()
  expect(performance.now() - startedAt).toBeGreaterThan(3)
  expect(String(stdout.read())).toBe('small')
  expect(await write(output, 'x'.repeat(40_000))).toBeFalsy()
  expect(String(stdout.read())).toHaveLength(40_000)
})

test('a loss is told to who wrote, every time', async () => {
  const stdout = new PassThrough().on('error', () => undefined)
  const output = createBatchedOutput(stdout).on('error', () => undefined)
  stdout.destroy()
  for (const text of ['first', 'second']) expect(await write(output, text)).toBeInstanceOf(Error)
})
