import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MutationGroup, mutationGroups } from './mutation-groups.ts'
import { type FileScore, scoresOf } from './mutation-scores.ts'

const root = join(import.meta.dirname, '..')
const scratch = join(root, '.agentic/mutation')

/** The minimum percentage of noticed mutants for each file. */
const MIN_SCORE = 80

const chosen = process.argv.slice(2)
const names = mutationGroups.map(({ name }) => name)
if (!chosen.every((name) => names.includes(name))) {
  process.stderr.write(`usage: npm run mutation [-- NAME ...], where NAME is one of ${names.join(', ')}\n`)
  process.exit(chosen.includes('--help') ? 0 : 2)
}
const groups = mutationGroups.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
const scores = groups.flatMap(mutateGroup)
for (const { file, killed, all, score } of scores)
  process.stdout.write(`${score.toFixed(1).padStart(5)} % ${killed}/${all} ${file}\n`)
const low = scores.filter(({ score }) => score < MIN_SCORE)
process.stdout.write(`${scores.length - low.length} files at ${MIN_SCORE} % or above, ${low.length} below\n`)
process.exitCode = low.length === 0 ? 0 : 1

/** Runs Stryker for one group, with its progress on the terminal. */
function mutateGroup(group: MutationGroup): FileScore[] {
  mkdirSync(scratch, { recursive: true })
  const config = join(scratch, `${group.name}.json`)
  const report = join(scratch, `${group.name}-report.json`)
  writeFileSync(config, JSON.stringify(configOf(group, report)))
  const { status } = spawnSync('npx', ['stryker', 'run', config], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_TESTS: group.tests.join('\n') },
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status} for ${group.name}`)
  return scoresOf(JSON.parse(readFileSync(report, 'utf8')))
}

function configOf({ name, mutate }: MutationGroup, fileName: string): object {
  return {
    mutate: [...mutate, '!**/*.test.ts'],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'tools/mutation-vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName },
    tempDirName: `.agentic/stryker-${name}`,
    ignorePatterns: ['.agentic', 'dist', 'coverage', 'docs/images', 'chaos/results', 'bench/results'],
    disableTypeChecks: false,
    // Stryker needs an API for it that TypeScript 7 does not have.
    tsconfigFile: 'none',
    // This program checks the score of each file after all groups.
    thresholds: { high: MIN_SCORE, low: MIN_SCORE, break: null },
  }
}
