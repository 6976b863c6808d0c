import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { outcomeTypes } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { ensurePythonEnvironment } from '../python-environment.ts'
import { startMcpServer } from './http-server.ts'
import { createOutcomeService, seenByWillingClients } from './outcome-service.ts'

const python = ensurePythonEnvironment('mcp', join(import.meta.dirname, 'requirements.txt'))
const reason = 'missing' in python ? ` (${python.missing})` : ''
// The reporter lists skipped tests only beside failed ones.
if (reason !== '') process.stderr.write(`skipped: the official Python client of MCP${reason}\n`)

test.skipIf(reason !== '').each(['auto', 'legacy'])(
  `the official Python client gets all ten outcomes, mode %s${reason}`,
  async (mode) => {
    if ('missing' in python) return expect.fail(python.missing)
    const service = createOutcomeService()
    const server = await startMcpServer({ host: (parts) => service.host(parts) })
    const program = join(import.meta.dirname, 'python_client.py')
    const child = spawn(join(python.folder, 'bin/python'), [program, server.url, mode, ...outcomeTypes], {
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    await server.stop()
    expect(code, errors).toBe(0)
    expect(JSON.parse(output)).toEqual({
      tools: ['outcome', 'get-operation'],
      outcomes: seenByWillingClients,
      asked: ['form', 'url'],
    })
    expect(server.errors).toEqual([])
  },
)
