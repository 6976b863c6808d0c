import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawScreens, readTerminal } from './terminal-picture.ts'

// Starts the stack, runs the tour and draws the output of both: docs/images/tour.svg is a real session.
const { values } = parseArgs({
  options: {
    'port-base': { type: 'string', default: '8080' },
    output: { type: 'string', default: 'docs/images/tour.svg' },
  },
})
const COLUMNS = 120
const ROWS = 40
const SECONDS_PER_SCREEN = 4

const root = join(import.meta.dirname, '..')
const data = mkdtempSync(join(tmpdir(), 'agentic-session-'))
const ports = ['--port-base', values['port-base']]
const place = [...ports, '--data', join(data, '.agentic')]

try {
  // The first start creates the databases; the recorded session is a later one.
  await stopped(await startedStack())
  const stack = await startedStack()
  const tour = runNpm(['run', '--silent', 'tour', '--', ...ports])
  const [code] = await once(tour.child, 'close')
  await stopped(stack)
  if (code !== 0) throw new Error(`the tour ended with ${code}:\n${tour.printed()}`)
  const screens = [prompt('npm start', stack.started), ...stopsOf(tour.printed())]
  const picture = drawScreens(
    screens.map((text) => readTerminal(text, COLUMNS)),
    {
      columns: COLUMNS,
      rows: ROWS,
      secondsPerScreen: SECONDS_PER_SCREEN,
      title: 'npm start and npm run tour in a terminal',
    },
  )
  const file = join(root, values.output)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, picture)
  process.stdout.write(`${values.output}: ${screens.length} screens, ${picture.length} bytes\n`)
} finally {
  rmSync(data, { recursive: true, force: true })
}

async function startedStack(): Promise<Running & { readonly started: string }> {
  const stack = runNpm(['start', '--silent', '--', ...place])
  return { ...stack, started: await stack.printing('Ctrl-C ends it', /\n\n$/) }
}

async function stopped({ child }: Running): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'close')
}

function prompt(command: string, printed: string): string {
  // Paths of this machine mean nothing to a reader, and tokens are never published, not even expired ones.
  const shown = printed.replaceAll(`${data}/`, '').replaceAll(/(eyJ[\w-]{20})[\w.-]+/g, '$1...')
  return `\u001b[1m$ ${command}\u001b[22m\n${shown}`
}

/** The tour in parts: each begins with a bold number at the start of a line. */
function stopsOf(printed: string): string[] {
  const begin = String.fromCodePoint(27)
  const [first = '', ...others] = printed.trim().split(new RegExp(`\\n+(?=${begin}\\[1m\\d+\\. )`))
  return [prompt('npm run tour', first), ...others]
}

interface Running {
  readonly child: ChildProcess
  printed(): string
  /** Resolves with the whole output once it contains the text and then matches the pattern. */
  printing(text: string, then: RegExp): Promise<string>
}

function runNpm(args: readonly string[]): Running {
  // Without this, output to a pipe has no colours.
  const child = spawn('npm', args, { cwd: root, env: { ...process.env, FORCE_COLOR: '1' } })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  return {
    child,
    printed: () => printed,
    async printing(text, then) {
      while (!printed.includes(text) || !then.test(printed)) await once(child.stdout, 'data')
      return printed
    },
  }
}
