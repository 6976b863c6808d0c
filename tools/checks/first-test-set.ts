import { posix } from 'node:path'
import { programs } from '@agentic-rest/testing/programs'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { modulesUsed, nameOf, plainText, readSource, type SourceFile, visitNodes } from '../source-file.ts'

/** Modules of tests that need a program from outside `node_modules`: the driver of browsers, and `testWith`. */
const outsideModules = new Set(['playwright-core', 'packages/testing/src/test-with.ts'])

/** Installers and programs that no test of the first set starts, beside those of the table. */
const outsidePrograms = new Set([
  ...Object.keys(programs),
  ...['apt-get', 'apt', 'pip', 'pip3', 'python', 'python3', 'docker', 'podman'],
])

const starters = new Set(['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'run'])
const NEEDS = 'rename the test to *.all.test.ts'

/**
 * Tests of `npm test` need nothing but the repository: no installer, browser, database server or other program. The files
 * that they import from folders of tests count too; chaos, bench and tools ask for their programs when they run.
 */
export function firstTestSet(root: string): Fault[] {
  const sources = new Map(
    listSources(root, ['packages', 'examples', 'tests', 'tools']).map((path) => [
      path,
      readSource(root, path),
    ]),
  )
  const isFirst = (path: string) => path.endsWith('.test.ts') && !/\.(all|long)\.test\.ts$/.test(path)
  const reached = reachableFrom([...sources.keys()].filter(isFirst), sources)
  return [...reached].flatMap((path) => {
    const source = sources.get(path)
    return source === undefined ? [] : [...outsideImports(source), ...outsideStarts(source)]
  })
}

function reachableFrom(entries: readonly string[], sources: ReadonlyMap<string, SourceFile>): Set<string> {
  const reached = new Set(entries)
  for (const path of reached) {
    const source = sources.get(path)
    if (source === undefined) continue
    for (const { specifier } of modulesUsed(source)) {
      const next = fileOf(path, specifier)
      if (next !== undefined && (isTestFile(next) || next.startsWith('packages/testing/'))) reached.add(next)
    }
  }
  return reached
}

function fileOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const [, name] = /^@agentic-rest\/testing\/(.+)$/.exec(specifier) ?? []
  return name === undefined ? undefined : `packages/testing/src/${name}.ts`
}

function outsideImports(source: SourceFile): Fault[] {
  return modulesUsed(source)
    .filter(({ specifier }) => outsideModules.has(fileOf(source.path, specifier) ?? specifier))
    .map(({ specifier, line }) => ({
      path: source.path,
      line,
      message: `npm test has no programs for ${specifier}: ${NEEDS}`,
    }))
}

function outsideStarts(source: SourceFile): Fault[] {
  const faults: Fault[] = []
  visitNodes(source.program, function collectStart(node) {
    if (node.type !== 'CallExpression' || !starters.has(nameOf(node.callee) ?? '')) return
    const program = plainText(node.arguments[0])
      ?.split(/[\s/]/)
      .find((word) => outsidePrograms.has(word))
    if (program === undefined) return
    const line = lineAt(source.text, node.start)
    faults.push({ path: source.path, line, message: `npm test may not start ${program}: ${NEEDS}` })
  })
  return faults
}
