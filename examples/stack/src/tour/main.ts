import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_PORT_BASE } from '../parts.ts'
import { requestToken } from '../request-token.ts'
import { createPaper } from './paper.ts'
import { runTour } from './run-tour.ts'
import { stops } from './stops.ts'

const { values } = parseArgs({
  options: {
    'port-base': { type: 'string', default: String(DEFAULT_PORT_BASE) },
    data: { type: 'string', default: '.agentic' },
  },
})
const portBase = Number(values['port-base'])
const auditFolder = join(values.data, 'audit')

// Who pipes the tour into `head` has seen enough.
process.stdout.on('error', () => process.exit(1))

try {
  // Where there is no stack, one message says it better than every stop on its own.
  await requestToken({ portBase, sub: 'alice' })
  const wrong = await runTour(stops, {
    portBase,
    auditFolder: existsSync(auditFolder) ? auditFolder : undefined,
    paper: createPaper(process.stdout),
  })
  process.exitCode = wrong === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
