import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatFault } from './fault.ts'
import { planGeneration, staleFiles } from './generated.ts'
import { generators } from './generators.ts'
import { readFlags } from './read-flags.ts'

readFlags({
  command: 'npm run generate',
  does: 'Writes the generated files and the generated sections of documents.',
  flags: {},
})

const root = process.cwd()
const plan = await planGeneration(root, generators)
const stale = staleFiles(root, plan)

for (const path of stale) {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), plan.files.get(path) ?? '')
  process.stdout.write(`wrote ${path}\n`)
}
for (const fault of plan.faults) process.stderr.write(`${formatFault(fault)}\n`)
process.stdout.write(`${plan.files.size} generated files, ${stale.length} written\n`)
process.exitCode = plan.faults.length === 0 ? 0 : 1
