import { biomeFaults, typeFaults } from './command-faults.ts'
import { formatFault } from './fault.ts'
import { readFlags } from './read-flags.ts'
import { listFiles } from './repo-files.ts'
import { isClean, runSteps, type Step, type StepResult } from './steps.ts'

readFlags({
  command: 'npm run check',
  does: 'Checks format, types, imports, documents and the other rules of the repository.',
  flags: {},
})

const root = process.cwd()
let figures: readonly string[] = []

// Each step loads its own check: a broken profile fails only the checks that need it.
const repoChecks: readonly Step[] = [
  {
    name: 'import directions',
    run: async () => (await import('./checks/import-directions.ts')).importDirections(root),
  },
  {
    name: 'import cycles',
    run: async () => (await import('./checks/import-cycles.ts')).importCycles(root),
  },
  { name: 'one starter', run: async () => (await import('./checks/one-starter.ts')).oneStarter(root) },
  { name: 'one home', run: async () => (await import('./checks/one-home.ts')).oneHome(root) },
  {
    name: 'one JSON reader',
    run: async () => (await import('./checks/one-json-reader.ts')).oneJsonReader(root),
  },
  { name: 'marked keys', run: async () => (await import('./checks/marked-keys.ts')).markedKeys() },
  {
    name: 'no export star',
    run: async () => (await import('./checks/no-export-star.ts')).noExportStar(root),
  },
  {
    name: 'timers in tests',
    run: async () => (await import('./checks/timers-in-tests.ts')).timersInTests(root),
  },
  {
    name: 'package declarations',
    run: async () => (await import('./checks/package-declarations.ts')).packageDeclarations(root),
  },
  { name: 'third party', run: async () => (await import('./checks/third-party.ts')).thirdParty(root) },
  {
    name: 'frozen schemas',
    run: async () => (await import('./checks/frozen-schemas.ts')).frozenSchemas(root),
  },
  {
    name: 'generated files',
    run: async () => (await import('./checks/generated-files.ts')).generatedFiles(root),
  },
  {
    name: 'named things',
    run: async () => (await import('./checks/named-things.ts')).namedThings(root),
  },
  {
    name: 'tests that need nothing',
    run: async () => (await import('./checks/first-test-set.ts')).firstTestSet(root),
  },
  { name: 'map of documents', run: async () => (await import('./checks/doc-map.ts')).docMap(root) },
  {
    name: 'budgets',
    run: async () => {
      const { budgetFaults, budgetLines, budgets } = await import('./checks/budgets.ts')
      const rows = budgets(root)
      figures = budgetLines(rows)
      return budgetFaults(rows)
    },
  },
  { name: 'links in documents', run: async () => (await import('./checks/doc-links.ts')).docLinks(root) },
]

// Packages have a project for each environment: tsconfig.browser.json, for example, has no Node types.
const projects = ['tsconfig.json', ...listFiles(root, ['{packages,examples}/*/tsconfig*.json'])]

const steps: readonly Step[] = [
  { name: 'format and lint', run: () => biomeFaults(root) },
  ...projects.map((project) => ({ name: `types of ${project}`, run: () => typeFaults(root, project) })),
  ...repoChecks,
]

function print(result: StepResult): void {
  const mark = isClean(result) ? 'ok    ' : 'FAILED'
  process.stdout.write(`${mark} ${result.name} (${(result.tookMs / 1000).toFixed(1)} s)\n`)
  for (const fault of result.faults) process.stdout.write(`${formatFault(fault)}\n`)
  if (result.crash !== undefined) process.stdout.write(`${result.crash}\n`)
}

const results = await runSteps(steps, print)
const failed = results.filter((result) => !isClean(result))
for (const line of figures) process.stdout.write(`${line}\n`)
process.stdout.write(`${results.length - failed.length} steps clean, ${failed.length} failed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
