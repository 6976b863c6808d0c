import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type ChaosRun, type Figure, isReached, type Scale } from '../../chaos/chaos-run.ts'

/** Runs the short form of a run, with some changes of scale, and prints its seed and progress. */
export async function runShort(run: ChaosRun, scale: Scale = {}): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), `agentic-chaos-test-${run.name}-`))
  const seed = Number(process.env['SEED'])
  const tell = (line: string) => void process.stdout.write(`${line}\n`)
  tell(`${run.name}: SEED=${seed}`)
  // Ends the run of a test that timed out.
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  try {
    return await run.run({ scale: { ...run.short, ...scale }, seed, folder, tell, signal: stop.signal })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Expects at least one figure, and all of them reached. */
export function expectReached(figures: readonly Figure[]): void {
  expect(figures.length).toBeGreaterThan(0)
  expect(missed(figures)).toEqual([])
}

/** The missed figures as text. */
export function missed(figures: readonly Figure[]): string[] {
  return figures
    .filter((figure) => !isReached(figure))
    .map(({ name, measured, kind, limit }) => `${name}: ${measured}, not ${kind} ${limit}`)
}
