import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { allPorts, DEFAULT_PORT_BASE } from '../examples/stack/src/parts.ts'
import { type Ended, repositoryRoot, run } from '../tools/packed-packages.ts'
import { scratchFolder, temporaryTree } from '../tools/temporary-tree.ts'
import { publishedWorkspaces } from '../tools/workspaces.ts'
import { runCi } from './ci-commands.ts'
import { commandsIn, documentedPrograms, documentedSessions, outputsOfNothing } from './documented-code.ts'
import { type DocumentedGateway, documentedPort, startDocumentedGateway } from './documented-gateway.ts'
import { useDocumentedStack } from './documented-stack.ts'
import { packagePrograms } from './package-programs.ts'
import { copyRepository } from './repository-copy.ts'

/**
 * The proof that a command works. `here`: it runs in this repository. `copy`: in a copy, because it writes. `small copy`:
 * in a copy of a part, because it reads all files. `ci`: CI runs it. `package`: the packing test installs the package and
 * runs a program with it. `gateway`: it is started and stopped. `request`: it is sent to the gateway of its page. `stack`:
 * it starts the stack, once for all pages. `visitor`: it runs beside that stack.
 */
type Proof = 'here' | 'copy' | 'small copy' | 'ci' | 'package' | 'gateway' | 'request' | 'stack' | 'visitor'

// All commands in documents. A command without a row fails the test, and so does a row without a command.
const proofs: readonly (readonly [command: RegExp, proof: Proof])[] = [
  [/^npm (install|test|run (check|test:setup|test:all))$/, 'ci'],
  [/^npm start$/, 'stack'],
  [/^npm run tour$/, 'visitor'],
  [/^npx agentic token( --\w+ [\w,:-]+)*$/, 'visitor'],
  [/^npx node -p '[^']*' "\$\(npx agentic token\)"$/, 'visitor'],
  [/^npm run (generate|freeze)$/, 'copy'],
  [/^npm run format$/, 'small copy'],
  [/^npm install (@agentic-rest\/[\w-]+|agentic-rest)$/, 'package'],
  [/^npx agentic check [\w./-]+\.yaml( --strict)?( --format \w+)?$/, 'here'],
  [/^npx agentic routes [\w./-]+\.yaml( --test "[A-Z]+ [\w/-]+")?$/, 'here'],
  [/^npx agentic routes add [\w./-]+\.yaml --from http:\/\/127\.0\.0\.1:\d+ --dry-run$/, 'visitor'],
  [/^npx agentic completion \w+$/, 'here'],
  [/^npx agentic validate( [\w./-]+\.json)+( --json)?$/, 'here'],
  [
    /^(\w+_URL=http:\/\/127\.0\.0\.1:\d+ )+npx agentic conformance http:\/\/127\.0\.0\.1:8080 --scenario [\w./-]+\.yaml$/,
    'visitor',
  ],
  [/^(PORT=\d+ )?npx agentic start -c [\w./-]+\.yaml$/, 'gateway'],
  [
    /^curl [^;|&<>`$]*"\$\(npx agentic token\)"[^;|&<>`$]* http:\/\/127\.0\.0\.1:8[01]80\/[\w./-]*$/,
    'visitor',
  ],
  [/^curl [^;|&<>`$]* http:\/\/127\.0\.0\.1:80[78]0\/[\w./-]*$/, 'request'],
]

const sessions = documentedSessions(repositoryRoot)
const programs = documentedPrograms(repositoryRoot).map((program, index) => ({
  ...program,
  file: `program-${index}.ts`,
}))

function proofOf(command: string): Proof | undefined {
  return proofs.find(([form]) => form.test(command))?.[1]
}

test('the README tells the commands that everything starts with', () => {
  const readme = sessions.filter(({ page }) => page === 'README.md').flatMap(({ commands }) => commands)
  expect(readme).toEqual(
    expect.arrayContaining([
      'npm install',
      'npm start',
      'npm test',
      'PORT=8070 npx agentic start -c docs/examples/minimal-gateway.yaml',
    ]),
  )
})

test('a page that starts the stack gives its own gateway a port that the stack leaves free', () => {
  const pages = Map.groupBy(sessions, ({ page }) => page)
  const taken = allPorts(DEFAULT_PORT_BASE).map(({ port }) => port)
  const collisions = [...pages].flatMap(([page, own]) => {
    const commands = own.flatMap((session) => session.commands)
    const starts = commands.filter((command) => proofOf(command) === 'gateway')
    return commands.includes('npm start')
      ? starts.filter((start) => taken.includes(documentedPort(start))).map((start) => `${page}: ${start}`)
      : []
  })
  expect(collisions).toEqual([])
})

test('a command that the table does not know has no proof', () => {
  for (const command of ['npm run something-else', 'npm test; rm -rf /', 'npm install left-pad']) {
    expect(proofOf(command)).toBeUndefined()
  }
  expect(proofOf('curl -s http://127.0.0.1:8080/x; reboot http://127.0.0.1:8080/')).toBeUndefined()
})

test.each(sessions)('$place has nothing but commands that something shows to work', ({ commands }) => {
  expect(commands.filter((command) => proofOf(command) === undefined)).toEqual([])
})

test('CI gives npm these commands and stops at the first that fails', () => {
  const { ended, commands } = runCi()
  expect(ended).toEqual({ status: 0, output: '' })
  expect(commands).toEqual([
    'npm install',
    'npm run test:setup',
    'npm run check',
    'npm test --silent',
    'npm run test:all --silent -- --project !test*',
  ])
  for (const [index, failing] of commands.entries()) {
    const broken = runCi(failing)
    expect(broken.ended.status).toBe(1)
    expect(broken.commands).toEqual(commands.slice(0, index + 1))
  }
})

test('a block is read command by command', () => {
  const block = '# first\nnpm install && npm test   # both\n$ curl -X POST \\\n  http://127.0.0.1/#a\n\n'
  expect(commandsIn(block)).toEqual(['npm install', 'npm test', 'curl -X POST http://127.0.0.1/#a'])
})

test('a program is a ts block that imports from a package here; its output, as that of commands, is the block after it', () => {
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
    'docs/deep/b.md': [block('sh', 'npm start # now'), block('text output', 'hello')].join('\n'),
  })
  expect(documentedPrograms(root)).toEqual([
    { place: 'README.md:1', source: program, output: '1' },
    {
      place: 'README.md:17',
      source: "import 'zod'\nimport '@agentic-rest/profile/validate'",
      output: undefined,
    },
  ])
  expect(documentedSessions(root)).toEqual([
    { page: 'docs/deep/b.md', place: 'docs/deep/b.md:1', commands: ['npm start'], output: 'hello' },
  ])
  expect(outputsOfNothing(root)).toEqual(['README.md:11', 'docs/deep/a.md:1'])
})

describe('commands in documents', () => {
  let copy: string

  beforeAll(() => {
    copy = copyRepository()
  })

  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  const carryOut = {
    here: (command) => succeed(command, repositoryRoot),
    copy: (command) => succeed(command, copy),
    'small copy': (command) => {
      const small = copyRepository(['tools'])
      onTestFinished(() => rmSync(small, { recursive: true, force: true }))
      return succeed(command, small)
    },
    ci: checkCi,
    package: checkPackage,
    gateway: startAndStop,
    request: sendDocumented,
    stack: () => useDocumentedStack().then(() => ''),
    visitor: async (command) => succeed((await useDocumentedStack()).adapt(command), repositoryRoot),
  } satisfies Record<Proof, (command: string, page: string) => string | Promise<string>>

  // A command on several pages is tried once.
  const shown = new Map<string, string | Promise<string>>()
  const show = (command: string, page: string): string | Promise<string> => {
    const proof = proofOf(command)
    if (proof === undefined)
      expect.fail(`say in tests/docs-commands.all.test.ts what shows that \`${command}\` works`)
    const key = proof === 'request' ? `${page} ${command}` : command
    const printed = shown.get(key) ?? carryOut[proof](command, page)
    shown.set(key, printed)
    return printed
  }

  test('both commands that the stack shows work as they stand', async () => {
    const { shownCommands } = await useDocumentedStack()
    expect(shownCommands).toHaveLength(2)
    for (const command of shownCommands)
      expect(succeed(command.replace('curl', 'curl -sS'), repositoryRoot)).toMatch(
        /HTTP\/1\.1 (201|400)|data: \[DONE\]/,
      )
  })

  test.each(sessions)('$place $commands', async ({ page, commands, output }) => {
    const printed: string[] = []
    for (const command of commands) printed.push(await show(command, page))
    if (output !== undefined) expect(printed.join('').trimEnd()).toBe(output.trimEnd())
  })
})

test('every output block follows its command or program', () => {
  expect(outputsOfNothing(repositoryRoot)).toEqual([])
})

function succeed(command: string, folder: string): string {
  const ended = run('sh', ['-c', command], folder)
  expect(ended.status, ended.output).toBe(0)
  return ended.output
}

// Additional flags of CI concern only its log, and keep it from running the first set twice.
function checkCi(command: string): string {
  expect(runCi().commands.map((each) => each.replace(/ --silent.*$/, ''))).toContain(command)
  return ''
}

function checkPackage(command: string): string {
  const name = command.replace(/^npm install /, '')
  expect(publishedWorkspaces(repositoryRoot).map(({ manifest }) => manifest.name)).toContain(name)
  expect([...packagePrograms.keys()]).toContain(name)
  return ''
}

async function startAndStop(command: string): Promise<string> {
  const gateway = await startDocumentedGateway(command)
  expect(await gateway.stop()).toEqual(['the gateway is listening', 'SIGINT received', 'draining', 'drained'])
  return ''
}

/** Sends a request of a page to the gateway that the page starts before it. */
async function sendDocumented(command: string, page: string): Promise<string> {
  const commands = sessions.filter((session) => session.page === page).flatMap((session) => session.commands)
  const start = commands.slice(0, commands.indexOf(command)).find((each) => proofOf(each) === 'gateway')
  if (start === undefined) expect.fail(`${page} starts no gateway before it`)
  const gateway: DocumentedGateway = await startDocumentedGateway(start)
  onTestFinished(() => gateway.stop().then(() => undefined))
  const address = `127.0.0.1:${documentedPort(start)}`
  expect(command).toContain(address)
  return succeed(command.replace(address, `127.0.0.1:${gateway.port}`), repositoryRoot)
}

describe('programs in documents', () => {
  const folder = join(scratchFolder, `documented-${process.pid}`)
  let types: Ended

  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    for (const { file, source } of programs) writeFileSync(join(folder, file), source)
    types = typeCheck(folder)
  })
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

  test.each(programs)('$place runs and prints the output of the page', ({ file, output }) => {
    // As the parts of the stack: an embedded database starts in half the time.
    const ended = run(process.execPath, ['--conditions=agentic-source', '--liftoff-only', file], folder)
    expect(ended.status, ended.output).toBe(0)
    if (output !== undefined) expect(ended.output.trimEnd()).toBe(output.trimEnd())
  })
})

function block(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``
}

// Programs on pages may have unused values; otherwise they are as strict as our own code.
function typeCheck(folder: string): Ended {
  const compilerOptions = { noEmit: true, skipLibCheck: true, noUnusedLocals: false }
  const project = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }
  if (programs.length === 0) return { status: 0, output: '' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  return run(
    join(repositoryRoot, 'node_modules/.bin/tsc'),
    ['-p', '.', '--pretty', 'false', '--singleThreaded'],
    folder,
  )
}
