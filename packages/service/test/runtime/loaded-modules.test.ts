import { expect, it } from 'vitest'
import { startProgram } from './harness/run-program.ts'

it.each([
  ['pg', { url: 'postgres://127.0.0.1:1/none' }],
  ['@electric-sql/pglite', { folder: '/dev/null/none' }],
])('loads %s and nothing else for the store that needs it', async (module, options) => {
  const program = startProgram('loaded-modules', options)
  const { stderr } = await program.ended
  expect(stderr).toBe('')
  expect([...new Set(program.lines)]).toEqual([`loads ${module}`, 'failed'])
})
