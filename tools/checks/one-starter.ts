import { basename } from 'node:path'
import type { Node } from 'oxc-parser'
import { type Fault, lineAt } from '../fault.ts'
import { isTestFile, listSources } from '../repo-files.ts'
import { readSource } from '../source-file.ts'

const home = 'packages/testing/'

// Vitest calls a function of this name in each of its set-up files; nobody imports it.
const ofVitest = 'setup'

interface Definition {
  readonly name: string
  readonly start: number
  readonly isExported: boolean
}

/** What `packages/testing` starts, makes or waits for is defined nowhere else in tests, benchmarks, chaos runs and tools. */
export function oneStarter(root: string): Fault[] {
  const homes = new Map(
    listSources(root, [`${home}src`])
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) =>
        functionsOf(readSource(root, path).program)
          .filter(({ name, isExported }) => isExported && name !== ofVitest)
          .map(({ name }) => [name, `@agentic-rest/testing/${basename(path, '.ts')}`] as const),
      ),
  )
  return listSources(root)
    .filter((path) => (isTestFile(path) || path.startsWith('tools/')) && !path.startsWith(home))
    .flatMap((path) => {
      const { program, text } = readSource(root, path)
      return functionsOf(program).flatMap(({ name, start }) => {
        const specifier = homes.get(name)
        if (specifier === undefined) return []
        const message = `${name} is defined a second time: import it from ${specifier}, or name it for what differs`
        return [{ path, line: lineAt(text, start), message }]
      })
    })
}

/** The functions of a module: declared, or constants that are functions. */
function functionsOf(program: Node): Definition[] {
  if (program.type !== 'Program') return []
  return program.body.flatMap((statement) => {
    const isExported = statement.type === 'ExportNamedDeclaration'
    const declared = isExported ? statement.declaration : statement
    return namesOf(declared).map((name) => ({ name, isExported, start: statement.start }))
  })
}

function namesOf(declared: Node | null): string[] {
  if (declared?.type === 'FunctionDeclaration') return declared.id === null ? [] : [declared.id.name]
  if (declared?.type !== 'VariableDeclaration') return []
  return declared.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' && isFunction(init) ? [id.name] : [],
  )
}

function isFunction(node: Node | null): boolean {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'
}
