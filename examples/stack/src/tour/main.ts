import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { DEFAULT_PORT_BASE, type PortBase, readPortBase } from '../parts.ts'
import { requestToken } from '../request-token.ts'
import type { Screen } from './fit-screen.ts'
import { runTour } from './guide.ts'
import { createPaper } from './paper.ts'
import { stops } from './stops.ts'

const USAGE = `Usage: npm run tour [-- --port-base N] [--all]

Walks through the running stack and ends with 1 when an answer is not what it has to be. On a terminal it waits for Enter
after each stop and cuts long bodies, so that a stop fits the screen.

  --port-base N  The port of the gateway, ${DEFAULT_PORT_BASE} by default.
  --all          Prints all stops at once, with whole bodies.
  --help         Prints this.
`

const INVALID = 2

// A closed pipe, for example of `head`, ends the tour.
process.stdout.on('error', () => process.exit(1))

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const wish = readWish(args)
  if (wish === 'help') return say(process.stdout, USAGE, 0)
  if (!wish.ok) return say(process.stderr, `${wish.fault}\n\n${USAGE}`, INVALID)
  const isPaged = !wish.all && process.stdin.isTTY && process.stdout.isTTY
  return await takeTour(wish.value, isPaged ? openTerminal() : undefined)
}

function readWish(args: readonly string[]): (PortBase & { readonly all: boolean }) | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'port-base': { type: 'string', default: String(DEFAULT_PORT_BASE) },
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return values.help ? 'help' : { ...readPortBase(values['port-base']), all: values.all }
  } catch (error) {
    return { ok: false, fault: messageOf(error), all: false }
  }
}

interface Terminal {
  readonly screen: Screen
  goOn(): Promise<boolean>
  close(): void
}

/** The terminal of a visitor: its current size, and a question that Enter answers. q, Ctrl-D and Ctrl-C leave. */
function openTerminal(): Terminal {
  const input = createInterface({ input: process.stdin })
  const lines = input[Symbol.asyncIterator]()
  return {
    screen: {
      // Some terminals do not tell their size.
      get columns() {
        return process.stdout.columns || 80
      },
      get rows() {
        return process.stdout.rows || 24
      },
    },
    async goOn() {
      process.stdout.write('Enter for the next stop, q to leave: ')
      const { done = false, value = '' } = await lines.next()
      return !done && !/^\s*q/i.test(value)
    },
    close: () => input.close(),
  }
}

async function takeTour(portBase: number, terminal?: Terminal): Promise<number> {
  try {
    // Without a stack, one message is better than a failure of every stop.
    await requestToken({ portBase, sub: 'alice' })
    const paper = createPaper(process.stdout, terminal?.screen)
    const wrong = await runTour(stops, { portBase, paper, goOn: terminal?.goOn })
    return wrong === 0 ? 0 : 1
  } catch (error) {
    return say(process.stderr, `${messageOf(error)}\n`, 1)
  } finally {
    terminal?.close()
  }
}

function say(stream: NodeJS.WritableStream, text: string, code: number): number {
  stream.write(text)
  return code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
