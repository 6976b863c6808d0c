import { defineCommand } from '../command.ts'
import { exitCodes } from '../host.ts'
import { InitError } from '../init/openapi.ts'
import { writeProject } from '../init/write-project.ts'
import { terminalLine } from '../terminal-text.ts'

/** `agentic init DIR`: writes a service with its tests, its gateway and its conformance scenario. */
export const init = defineCommand({
  name: 'init',
  description:
    'Writes a project: a service with one operation and its test, a commented gateway.yaml with its schema, and a\n' +
    'conformance.yaml. The project runs and passes conformance unchanged; its README shows how. --from takes the routes\n' +
    'and operations from an OpenAPI document.',
  operands: [{ name: 'DIR', description: 'The folder; it must be empty or new.' }],
  options: {
    from: { type: 'string', value: 'FILE', description: 'An OpenAPI 3 document, in YAML or JSON.' },
    json: { type: 'boolean', description: 'Prints the list of files as JSON.' },
  },
  examples: ['agentic init my-agent', 'agentic init my-agent --from openapi.yaml'],
  exitCodes: [
    [exitCodes.ok, 'The project was written.'],
    [
      exitCodes.invalid,
      'The folder is not empty, the document cannot be used, or the command line is not valid.',
    ],
  ],
  async run({ values: { from, json }, operands: [folder = ''] }, { stdout, stderr }) {
    try {
      const { files, notes } = writeProject(folder, from)
      if (json) stdout.write(`${JSON.stringify({ folder, files, notes }, null, 2)}\n`)
      else stdout.write(`${[...files.map((file) => `  ${file}`), '', nextSteps(folder)].join('\n')}\n`)
      if (!json) for (const note of notes) stderr.write(`note: ${terminalLine(note)}\n`)
      return exitCodes.ok
    } catch (error) {
      if (!(error instanceof InitError)) throw error
      stderr.write(`agentic init: ${terminalLine(error.message)}\n`)
      return exitCodes.invalid
    }
  },
})

function nextSteps(folder: string): string {
  return `Written. Next: cd ${terminalLine(folder)}, npm install, then follow its README.md.`
}
