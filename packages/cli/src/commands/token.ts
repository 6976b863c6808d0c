import { readPortBase, requestToken, TokenError } from '@agentic-rest/stack'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { portBaseOption } from '../port-base.ts'

/** `agentic token`: a token that the running stack accepts. */
export const token = defineCommand({
  name: 'token',
  description:
    'Prints a token that the stack started by "agentic dev" accepts. Demo users are alice (acme, campaign:optimize), bob\n' +
    '(acme), dave (acme, campaign:approve) and carol (globex, campaign:optimize); any other name needs a tenant.',
  operands: [],
  options: {
    sub: {
      type: 'string',
      value: 'NAME',
      default: 'alice',
      description: 'Whose token; alice by default.',
    },
    tenant: { type: 'string', value: 'TENANT', description: "The tenant, if not the demo user's." },
    roles: { type: 'string', value: 'A,B', description: "The roles, if not the demo user's." },
    'port-base': portBaseOption,
  },
  exitCodes: [
    [exitCodes.ok, 'The token is printed.'],
    [exitCodes.failed, 'No identity provider answers, or it gives no tokens.'],
    [
      exitCodes.invalid,
      'There is no such token, for example because a tenant is missing, or the command line is not valid.',
    ],
  ],
  examples: [
    'agentic token',
    'agentic token --sub dave',
    'agentic token --sub zoe --tenant acme --roles a,b',
  ],
  async run({ values: { sub, tenant, roles, 'port-base': base } }, host) {
    const portBase = readPortBase(base)
    if (!portBase.ok) {
      host.stderr.write(`${portBase.fault}\n`)
      return exitCodes.invalid
    }
    try {
      host.stdout.write(`${await requestToken({ portBase: portBase.value, sub, tenant, roles })}\n`)
      return exitCodes.ok
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      host.stderr.write(`${error.message}\n`)
      return error.refused ? exitCodes.invalid : exitCodes.failed
    }
  },
})
