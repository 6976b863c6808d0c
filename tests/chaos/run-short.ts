import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type ChaosRun, type Figure, isReached, type Scale } from '../../chaos/chaos-run.ts'

/** Whether there is time to see that a run fails where it has to. */
export const isLong = process.env['AGENTIC_LONG_TESTS'] === '1'

/** Runs the short form of a run, with another scale in part, and prints its seed and what it told. */
export async function runShort(run: ChaosRun, scale: Scale = {}): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), `agentic-chaos-test-${run.name}-`))
  const seed = Number(process.env['SEED'])
  const tell = (line: string) => void process.stdout.write(`${line}\n`)
  tell(`${run.name}: SEED=${seed}`)
  // A test that takes too long is over before its run is.
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  try {
    return await run.run({ scale: { ...run.short, ...scale }, seed, folder, tell, signal: stop.signal })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The same, up to three times where only figures are missed that a machine makes worse which others use too. All others
 * have to be reached each time.
 */
export async function runUndisturbed(
  run: ChaosRun,
  disturbed: readonly string[],
): Promise<readonly Figure[]> {
  for (let left = 2; ; left -= 1) {
    const figures = await runShort(run)
    const names = figures.filter((figure) => !isReached(figure)).map(({ name }) => name)
    if (left === 0 || names.length === 0 || names.some((name) => !disturbed.includes(name))) return figures
  }
}

/** Every figure is reached, and there is at least one. */
export function expectReached(figures: readonly Figure[]): void {
  expect(figures.length).toBeGreaterThan(0)
  expect(missed(figures)).toEqual([])
}

/** The names of the figures that are not reached. */
export function missed(figures: readonly Figure[]): string[] {
  return figures
    .filter((figure) => !isReached(figure))
    .map(({ name, measured, kind, limit }) => `${name}: ${measured}, not ${kind} ${limit}`)
}
