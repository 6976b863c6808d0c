import { expect, test } from 'vitest'
import type { ChaosRun, Scale } from '../../chaos/chaos-run.ts'
import { run as faults } from '../../chaos/runs/faults.ts'
import { run as neighbour } from '../../chaos/runs/neighbour.ts'
import { run as overload } from '../../chaos/runs/overload.ts'
import { run as reload } from '../../chaos/runs/reload.ts'
import { run as soak } from '../../chaos/runs/soak.ts'
import { missed, runShort } from './run-short.ts'

interface Notice {
  readonly run: ChaosRun
  readonly broken: string
  readonly scale: Scale
  /** A part of the figure that must be missed. */
  readonly figure: string
}

// A run whose figures are always reached shows nothing.
const notices: readonly Notice[] = [
  {
    run: faults,
    broken: 'a gateway without deadlines',
    scale: { requests: 200, deadlineSeconds: 0, graceMs: 0 },
    figure: 'requests without an end',
  },
  {
    run: neighbour,
    broken: 'a gateway without shares',
    scale: { limited: 0 },
    figure: 'quiet requests not served',
  },
  {
    run: overload,
    broken: 'a gateway without refusals',
    scale: { limited: 0, seconds: 0.5 },
    figure: 'refused at once',
  },
  {
    run: reload,
    broken: 'a configuration without a service',
    scale: { reloads: 2, badFiles: 1, dead: 1 },
    figure: 'the last good file serves: 0, not exactly 1',
  },
  { run: soak, broken: 'leaked connections', scale: { leak: 1 }, figure: 'file descriptors, growth' },
]

test.each(notices)('the run $run.name notices $broken', async ({ run, scale, figure }) => {
  expect(missed(await runShort(run, scale))).toContainEqual(expect.stringContaining(figure))
})
