import { firstPerson, readPortBase, requestToken, TokenError } from '@agentic-rest/stack'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../host.ts'
import { portBaseOption } from '../port-base.ts'

const FIRST_OF_REFERENCE_STACK = 'alice'
const NEW_PERSON = 'The people of people.yaml are read at the start: for a new one, start the stack again.\n'

/** `agentic token`: prints a token for the running stack. */
export const token = defineCommand({
  name: 'token',
  description:
    'Prints a token for the stack started by "npx agentic dev". The people of your own gateway are in people.yaml beside its\n' +
    'configuration; without that file alice, dave and carol have all roles of its routes, and bob none. Those of the reference\n' +
    'stack are alice (acme, campaign:optimize), bob (acme), dave (acme, campaign:approve) and carol (globex,\n' +
    'campaign:optimize). Any other name needs a tenant.',
  operands: [],
  options: {
    sub: { type: 'string', value: 'NAME', description: 'The person; the first one by default.' },
    tenant: { type: 'string', value: 'TENANT', description: 'The tenant; that of the person by default.' },
    roles: { type: 'string', value: 'A,B', description: 'The roles; those of the person by default.' },
    'port-base': portBaseOption,
  },
  exitCodes: [
    [exitCodes.ok, 'The token is printed.'],
    [exitCodes.failed, 'No identity provider answers, or it issues no tokens.'],
    [
      exitCodes.invalid,
      'The request for a token is not valid, for example without a tenant, or the command line is not valid.',
    ],
  ],
  examples: [
    'npx agentic token',
    'npx agentic token --sub dave',
    'npx agentic token --sub zoe --tenant acme --roles a,b',
  ],
  async run({ values: { sub, tenant, roles, 'port-base': base } }, host) {
    const portBase = readPortBase(base)
    if (!portBase.ok) {
      host.stderr.write(`${portBase.fault}\n`)
      return exitCodes.invalid
    }
    try {
      const person = sub ?? (await firstPerson(portBase.value))?.sub ?? FIRST_OF_REFERENCE_STACK
      host.stdout.write(`${await requestToken({ portBase: portBase.value, sub: person, tenant, roles })}\n`)
      return exitCodes.ok
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      host.stderr.write(`${error.message}\n`)
      if (error.refused && sub !== undefined && tenant === undefined) host.stderr.write(NEW_PERSON)
      return error.refused ? exitCodes.invalid : exitCodes.failed
    }
  },
})
