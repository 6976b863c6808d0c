import { type ConfigFault, formatFaults, loadConfig } from '@agentic-rest/gateway'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Host } from '../host.ts'
import { missingFiles } from '../missing-files.ts'

/** What `--json` prints. */
interface Report {
  readonly file: string
  readonly valid: boolean
  readonly faults: readonly ConfigFault[]
  readonly warnings: readonly string[]
}

/** `agentic check FILE`: every fault of a file at once, without starting anything. */
export const check = defineCommand({
  name: 'check',
  description:
    'Says whether a configuration file is valid, with every fault at once. It starts nothing and asks nobody.\n' +
    'Variables such as ${PORT} are filled in from the environment, as they are by "agentic start".',
  operands: [{ name: 'FILE', description: 'The configuration file.' }],
  options: {
    json: { type: 'boolean', description: 'Prints the result as JSON on stdout.' },
  },
  examples: ['agentic check gateway.yaml', 'agentic check gateway.yaml --json'],
  async run({ values, operands: [file = ''] }, host) {
    const report = inspect(file, host.env)
    if (values.json) host.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
    else tell(report, host)
    return report.valid ? exitCodes.ok : exitCodes.invalid
  },
})

function inspect(file: string, env: NodeJS.ProcessEnv): Report {
  const result = loadConfig(file, env)
  if (!result.ok) return { file, valid: false, faults: result.faults, warnings: [] }
  return { file, valid: true, faults: [], warnings: [...result.warnings, ...missingFiles(result.config)] }
}

function tell({ file, valid, faults, warnings }: Report, { stdout, stderr }: Host): void {
  if (!valid) {
    stderr.write(`${formatFaults(faults)}\n`)
    return
  }
  for (const warning of warnings) stderr.write(`${file}: warning: ${warning}\n`)
  stdout.write(`${file} is valid\n`)
}
