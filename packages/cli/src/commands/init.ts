import { defineCommand } from '../command.ts'
import { exitCodes } from '../host.ts'
import { choosePackages } from '../init/choose-packages.ts'
import { findClone } from '../init/clone.ts'
import { InitError } from '../init/init-error.ts'
import { findTarballs } from '../init/installed-tarballs.ts'
import { planProject, writeProject } from '../init/write-project.ts'
import { terminalLine } from '../terminal-text.ts'
import { readVersion } from '../version.ts'

const NODE_VERSION = 24

/** `agentic init DIR`: writes a service with its tests, its gateway and its conformance scenario. */
export const init = defineCommand({
  name: 'init',
  description:
    'Writes a project: a service with an operation that asks, one that needs an approval and one that runs in the\n' +
    'background, with tests, a commented gateway.yaml, people.yaml and conformance.yaml. The project runs and passes\n' +
    'conformance unchanged; its README shows how. --from takes the routes and operations from an OpenAPI document.\n' +
    'Packages that the registry of npm lacks are packed from the clone of the repository into DIR/vendor.',
  operands: [{ name: 'DIR', description: 'The folder; it must be empty or new.' }],
  options: {
    from: { type: 'string', value: 'FILE', description: 'An OpenAPI 3 document, in YAML or JSON.' },
    packages: {
      type: 'string',
      value: 'ORIGIN',
      choices: ['registry', 'vendor'],
      description:
        'The origin of the Agentic REST packages: plain versions, or tarballs of the clone or the installation. By default the registry is asked.',
    },
    json: { type: 'boolean', description: 'Prints the list of files as JSON.' },
  },
  examples: ['npx agentic init my-agent', 'npx agentic init my-agent --from openapi.yaml'],
  exitCodes: [
    [exitCodes.ok, 'The project was written.'],
    [exitCodes.failed, 'The packages could not be packed.'],
    [
      exitCodes.invalid,
      'The folder is not empty, the document cannot be used, npm could not install the project, or the command line is not valid.',
    ],
  ],
  async run({ values: { from, packages: wanted, json }, operands: [folder = ''] }, { stdout, stderr, env }) {
    try {
      const project = planProject(folder, from)
      const progress = (message: string) => void stderr.write(`${terminalLine(message)}\n`)
      const packages = await choosePackages({
        wanted: wanted as 'registry' | 'vendor' | undefined,
        version: readVersion(),
        clone: findClone(),
        installed: findTarballs(),
        progress,
      })
      const files = writeProject(project, packages)
      const { notes } = project
      if (json) stdout.write(`${JSON.stringify({ folder, files, notes }, null, 2)}\n`)
      else stdout.write(`${[...files.map((file) => `  ${file}`), '', nextSteps(folder, env)].join('\n')}\n`)
      if (!json) for (const note of notes) stderr.write(`note: ${terminalLine(note)}\n`)
      return exitCodes.ok
    } catch (error) {
      if (!(error instanceof InitError)) throw error
      stderr.write(`agentic init: ${terminalLine(error.message)}\n`)
      return error.kind === 'invalid' ? exitCodes.invalid : exitCodes.failed
    }
  },
})

function nextSteps(folder: string, { npm_config_user_agent: agent = '' }: NodeJS.ProcessEnv): string {
  const [, node = String(NODE_VERSION)] = / node\/v(\d+)/.exec(agent) ?? []
  return [
    'Written. Next:',
    `  cd ${terminalLine(folder)}`,
    '  npm install',
    '  npm start',
    'Its README.md says more.',
    ...(Number(node) < NODE_VERSION
      ? [
          `npm runs on Node ${node} here and warns with EBADENGINE: the project brings Node ${NODE_VERSION} along.`,
        ]
      : []),
  ].join('\n')
}
