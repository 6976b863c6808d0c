import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const MEBIBYTE = 1_048_576

/** Keeps 64 MB of new objects, in many turns, in a process of its own: flags of V8 hold for a whole process. */
async function youngMebibytes(begin: string, ...options: string[]): Promise<number> {
  const script = `
    import { setImmediate as nextTurn } from 'node:timers/promises'
    import { getHeapSpaceStatistics } from 'node:v8'
    import { boundYoungGeneration } from ${JSON.stringify(join(import.meta.dirname, 'young-generation.ts'))}
    ${begin}
    const kept = []
    for (let turn = 0; turn < 256; turn += 1) {
      kept.push(Array.from({ length: 4096 }, (_, index) => ({ turn, index, text: [turn] })))
      await nextTurn()
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
  `
  const flags = [...options, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const { stdout } = await run(process.execPath, flags)
  return Number(stdout) / MEBIBYTE
}

describe("V8's young generation", () => {
  it('stays near 16 MB, where V8 alone would let it grow', async () => {
    // V8 has two halves of 16 MB while it moves what is still used from one to the other.
    expect(await youngMebibytes('boundYoungGeneration()')).toBeLessThanOrEqual(32)
    expect(await youngMebibytes('')).toBeGreaterThanOrEqual(64)
  })

  it('is left to an operator who has chosen its size', async () => {
    expect(await youngMebibytes('boundYoungGeneration()', '--max-semi-space-size=32')).toBeGreaterThan(32)
  })
})
