import type { Fault } from '../fault.ts'
import { type Generator, planGeneration, staleFiles } from '../generated.ts'
import { generators as allGenerators } from '../generators.ts'

/** Every generated file and section is up to date. */
export async function generatedFiles(
  root: string,
  generators: readonly Generator[] = allGenerators,
): Promise<Fault[]> {
  const plan = await planGeneration(root, generators)
  const stale = staleFiles(root, plan).map((path) => ({
    path,
    line: 1,
    message: 'stale, run npm run generate',
  }))
  return [...plan.faults, ...stale]
}
