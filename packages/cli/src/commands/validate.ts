import { type FileResult, validateFile } from '@agentic-rest/conformance'
import { PROFILE_VERSION, type ProfileVersion, profileVersions } from '@agentic-rest/profile'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'

/** `agentic validate FILE...`: checks bodies, fixtures, OpenAPI documents and package declarations. It needs no network. */
export const validate = defineCommand({
  name: 'validate',
  description:
    'Checks files against the profile: bodies (one or a list), files of the fixture corpus, OpenAPI documents (media type\n' +
    'of each status, references, traces, examples) and package.json (its declaration). It needs no network.',
  operands: [{ name: 'FILE', description: 'JSON or YAML files.', repeated: true }],
  options: {
    profile: {
      type: 'string',
      value: 'VERSION',
      choices: profileVersions,
      default: PROFILE_VERSION,
      description: 'The profile version for bodies and fixtures.',
    },
    json: { type: 'boolean', description: 'Prints the result as JSON.' },
  },
  examples: [
    'npx agentic validate body.json',
    'npx agentic validate openapi.yaml package.json',
    'npx agentic validate fixtures/*.json --profile v0.2 --json',
  ],
  exitCodes: [
    [exitCodes.ok, 'Every file is valid.'],
    [exitCodes.invalid, 'A file, or the command line, is not valid.'],
  ],
  async run({ values, operands }, host) {
    const version = profileVersions.find((each) => each === values.profile) satisfies
      | ProfileVersion
      | undefined
    const results = operands.map((file) => validateFile(file, version === undefined ? {} : { version }))
    host.stdout.write(values.json ? `${jsonText(results)}\n` : results.map(describe).join(''))
    return results.every(({ valid }) => valid) ? exitCodes.ok : exitCodes.invalid
  },
})

const kinds = {
  body: 'a body of the profile',
  fixtures: 'fixtures',
  openapi: 'an OpenAPI document',
  package: 'a package',
  unreadable: 'a file',
} as const satisfies Record<FileResult['kind'], string>

function describe({ file, kind, valid, faults }: FileResult): string {
  if (valid) return `${terminalLine(file)} is valid (${kinds[kind]})\n`
  return faults
    .map(
      ({ pointer, message }) =>
        `${terminalLine(`${file}${pointer === '' ? '' : `#${pointer}`}: ${message}`)}\n`,
    )
    .join('')
}
