import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder, temporaryTree } from '../tools/temporary-tree.ts'
import {
  commandsIn,
  documentedCommands,
  documentedPrograms,
  outputsWithoutProgram,
} from './documented-code.ts'
import { type Ended, repositoryRoot, run } from './packed-packages.ts'

/** `run`: this test runs it. `by`: another file does, and `proof` is the text in it that says so. */
type Coverage = { readonly run: true } | { readonly by: string; readonly proof: string }

// Every command a reader is told to type, with what shows that it works. A command that is not here fails the test.
const coverage: readonly (readonly [command: RegExp, covered: Coverage])[] = [
  [/^npm install$/, { by: '.ci/run', proof: 'npm install\n' }],
  [/^npm run check$/, { by: '.ci/run', proof: 'npm run check\n' }],
  [/^npm test$/, { by: '.ci/run', proof: 'npm test' }],
  [/^\.ci\/run$/, { by: '.ci/run', proof: 'npm test' }],
  [/^npm start$/, { run: true }],
  [/^npm run generate$/, { by: 'tools/generate.test.ts', proof: "'generate'" }],
  [/^npm run freeze$/, { by: 'tools/checks/frozen-schemas.test.ts', proof: 'freeze(root)' }],
  [/^npm run format$/, { by: 'tools/generate.test.ts', proof: "'format'" }],
  [/^(npm test --|npx vitest run) [\w./-]+$/, { by: '.ci/run', proof: 'npm test' }],
  [
    /^npm install (@agentic-rest\/[\w-]+|agentic-rest)$/,
    { by: 'tests/packing.test.ts', proof: 'installTogether(' },
  ],
  [/^(npx )?node --version$/, { run: true }],
  [/^npx agentic check [\w./-]+\.yaml$/, { run: true }],
  [
    /^npx agentic start -c docs\/examples\/minimal-gateway\.yaml$/,
    { by: 'packages/cli/test/start.test.ts', proof: "'docs/examples/minimal-gateway.yaml'" },
  ],
]

const commands = documentedCommands(repositoryRoot)
const programs = documentedPrograms(repositoryRoot).map((program, index) => ({
  ...program,
  file: `program-${index}.ts`,
}))

function coverageOf(command: string): Coverage | undefined {
  return coverage.find(([form]) => form.test(command))?.[1]
}

test('the README tells the two commands that everything starts with', () => {
  const readme = commands.filter(({ place }) => place.startsWith('README.md:')).map(({ command }) => command)
  expect(readme).toEqual(expect.arrayContaining(['npm install', 'npm start', 'npm test']))
})

test('a command that the table does not know is not covered', () => {
  expect(coverageOf('npm run something-else')).toBeUndefined()
  expect(coverageOf('npm test; rm -rf /')).toBeUndefined()
})

test('a block is read command by command', () => {
  const block = '# first\nnpm install && npm test   # both\n$ curl -X POST \\\n  http://127.0.0.1/#a\n\n'
  expect(commandsIn(block)).toEqual(['npm install', 'npm test', 'curl -X POST http://127.0.0.1/#a'])
})

test('a program is a ts block that imports from a package here; its output is the block after it', () => {
  const program = "import { outcomes } from '@agentic-rest/profile'\nconsole.log(1)"
  const root = temporaryTree({
    'packages/profile/package.json': '{ "name": "@agentic-rest/profile" }',
    'README.md': [
      block('ts', program),
      block('text output', '1'),
      block('ts', 'const snippet = 1'),
      block('text output', '2'),
      block('ts', "import { z } from 'zod'"),
      block('ts', "import 'zod'\nimport '@agentic-rest/profile/validate'"),
      block('text', 'not marked'),
    ].join('\n'),
    'docs/deep/a.md': block('text output', '3'),
  })
  expect(documentedPrograms(root)).toEqual([
    { place: 'README.md:1', source: program, output: '1' },
    {
      place: 'README.md:17',
      source: "import 'zod'\nimport '@agentic-rest/profile/validate'",
      output: undefined,
    },
  ])
  expect(outputsWithoutProgram(root)).toEqual(['README.md:11', 'docs/deep/a.md:1'])
})

test.each(commands)('$place $command', ({ command }) => {
  const covered = coverageOf(command)
  expect(covered, `say in tests/docs-commands.test.ts what shows that \`${command}\` works`).toBeDefined()
  if (covered === undefined) return
  if ('by' in covered) {
    expect(existsSync(join(repositoryRoot, covered.by)), covered.by).toBe(true)
    expect(readFileSync(join(repositoryRoot, covered.by), 'utf8')).toContain(covered.proof)
    return
  }
  const ended = run('sh', ['-c', command], repositoryRoot)
  expect(ended.status, ended.output).toBe(0)
})

test('every block marked as output follows its program', () => {
  expect(outputsWithoutProgram(repositoryRoot)).toEqual([])
})

describe('programs in documents', () => {
  const folder = join(scratchFolder, `documented-${process.pid}`)
  let types: Ended

  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    for (const { file, source } of programs) writeFileSync(join(folder, file), source)
    types = typeCheck(folder)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('there is one in the README or in a package', () => {
    expect(programs.map(({ place }) => place)).not.toEqual([])
  })

  test.each(programs)('$place has no type fault', ({ file }) => {
    expect(types.output.split('\n').filter((line) => line.startsWith(`${file}(`))).toEqual([])
  })

  test('the compiler has nothing else to say', () => {
    expect(types.output.split('\n').filter((line) => !/^(program-\d+\.ts\(|\s|$)/.test(line))).toEqual([])
  })

  test.each(programs)('$place runs and prints what the page says', ({ file, output }) => {
    const ended = run(process.execPath, ['--conditions=agentic-source', file], folder)
    expect(ended.status, ended.output).toBe(0)
    if (output !== undefined) expect(ended.output.trimEnd()).toBe(output.trimEnd())
  })
})

function block(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``
}

// A program on a page may show a value without using it; in all else it is as strict as our own code.
function typeCheck(folder: string): Ended {
  const compilerOptions = { noEmit: true, skipLibCheck: true, noUnusedLocals: false }
  const project = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }
  if (programs.length === 0) return { status: 0, output: '' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  return run(join(repositoryRoot, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], folder)
}
