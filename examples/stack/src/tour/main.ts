import { parseArgs } from 'node:util'
import { DEFAULT_PORT_BASE, type PortBase, readPortBase } from '../parts.ts'
import { requestToken } from '../request-token.ts'
import { runTour } from './guide.ts'
import { createPaper } from './paper.ts'
import { stops } from './stops.ts'

const USAGE = `Usage: npm run tour [-- --port-base N]

Walks through the running stack and ends with 1 when an answer is not what it has to be.

  --port-base N  The port of the gateway, ${DEFAULT_PORT_BASE} by default.
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
  return await takeTour(wish.value)
}

function readWish(args: readonly string[]): PortBase | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'port-base': { type: 'string', default: String(DEFAULT_PORT_BASE) },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return values.help ? 'help' : readPortBase(values['port-base'])
  } catch (error) {
    return { ok: false, fault: messageOf(error) }
  }
}

async function takeTour(portBase: number): Promise<number> {
  try {
    // Without a stack, one message is better than a failure of every stop.
    await requestToken({ portBase, sub: 'alice' })
    const wrong = await runTour(stops, { portBase, paper: createPaper(process.stdout) })
    return wrong === 0 ? 0 : 1
  } catch (error) {
    return say(process.stderr, `${messageOf(error)}\n`, 1)
  }
}

function say(stream: NodeJS.WritableStream, text: string, code: number): number {
  stream.write(text)
  return code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
