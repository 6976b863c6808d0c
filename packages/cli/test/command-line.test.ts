import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../src/commands.ts'
import { runAgentic } from './harness/run-agentic.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

const overview = `A gateway that makes every answer of an agent service one of ten typed outcomes (profile v0.3).

Usage: agentic COMMAND [OPTIONS]

Commands:
  dev    Runs the reference stack, or the gateway of this folder, with an identity provider.
  start  Runs a gateway.
  check  Says whether a configuration file is valid.
  token  Prints a token that the running stack accepts.

Options:
  -h, --help     Shows this help; after a command, the help of that command.
  -v, --version  Prints the version.

Example:
  agentic start -c gateway.yaml

Exit codes:
  0    Everything went well.
  1    It did not work out, for example because a port is taken; trying again may help.
  2    A file or the command line is not valid; trying again does not help.
  130  Ended at once by Ctrl-C.
`

const startHelp = `Runs a gateway until it is told to stop. Audit records go to stdout, the log goes to stderr: JSON lines, or
readable ones on a terminal. SIGTERM and SIGINT finish what is in flight first; a second SIGINT ends at once.

Usage: agentic start --config FILE [OPTIONS]

Options:
  -c, --config FILE      The configuration file.
      --log-level LEVEL  How much is logged. One of debug, info, warn, error, silent; info by default.
  -h, --help             Shows this help.

Examples:
  agentic start -c gateway.yaml
  agentic start -c gateway.yaml --log-level debug
`

const checkHelp = `Says whether a configuration file is valid, with every fault at once. It starts nothing and asks nobody.
Variables such as \${PORT} are filled in from the environment, as they are by "agentic start".

Usage: agentic check FILE [OPTIONS]

Arguments:
  FILE  The configuration file.

Options:
      --json  Prints the result as JSON on stdout.
  -h, --help  Shows this help.

Examples:
  agentic check gateway.yaml
  agentic check gateway.yaml --json
`

const devHelp = `Runs everything on this machine until Ctrl-C: two gateways, the example services and an identity provider, offline
and without an account. Where a gateway.yaml lies, it runs that gateway with the identity provider in their place.
DATABASE_URL moves the services from embedded databases to a PostgreSQL server. Not for production.

Usage: agentic dev [OPTIONS]

Options:
      --port-base N  The port of the gateway, 8080 by default; all other ports keep their distance from it.
      --data FOLDER  Where data, keys and audit records are kept; .agentic by default.
      --memory       Keeps nothing: no data, no keys, no audit records.
  -c, --config FILE  A gateway of yours to run; gateway.yaml where there is one.
      --verbose      Shows all that the parts log, not only warnings.
  -h, --help         Shows this help.

Examples:
  agentic dev
  agentic dev --port-base 9080
  agentic dev --memory -c my-gateway.yaml
`

const tokenHelp = `Prints a token that the stack started by "agentic dev" accepts. Demo users are alice (acme, campaign:optimize), bob
(acme), dave (acme, campaign:approve) and carol (globex, campaign:optimize); any other name needs a tenant.

Usage: agentic token [OPTIONS]

Options:
      --sub NAME       Whose token; alice by default.
      --tenant TENANT  The tenant, if not the demo user's.
      --roles A,B      The roles, if not the demo user's.
      --port-base N    The port of the gateway, 8080 by default; all other ports keep their distance from it.
  -h, --help           Shows this help.

Examples:
  agentic token
  agentic token --sub dave
  agentic token --sub zoe --tenant acme --roles a,b
`

test.each([
  { args: ['--help'], stdout: overview },
  { args: ['dev', '--help'], stdout: devHelp },
  { args: ['token', '-h'], stdout: tokenHelp },
  { args: ['-h'], stdout: overview },
  { args: ['help'], stdout: overview },
  { args: ['start', '--help'], stdout: startHelp },
  { args: ['start', '-c', 'missing.yaml', '--wrong', '-h'], stdout: startHelp },
  { args: ['help', 'start'], stdout: startHelp },
  { args: ['check', '--help'], stdout: checkHelp },
])('agentic $args explains itself', async ({ args, stdout }) => {
  expect(await runAgentic(args)).toEqual({ code: 0, signal: null, stdout, stderr: '' })
})

test.each(['--version', '-v'])('agentic %s prints version, profile and Node', async (flag) => {
  const stdout = `agentic ${version} (profile v0.3, Node ${process.version})\n`
  expect(await runAgentic([flag])).toEqual({ code: 0, signal: null, stdout, stderr: '' })
})

test('agentic without a command shows the overview as an error', async () => {
  expect(await runAgentic([])).toEqual({ code: 2, signal: null, stdout: '', stderr: overview })
})

test.each([
  { args: ['chek'], faults: ['agentic: unknown command "chek", did you mean "check"?'] },
  { args: ['STRAT'], faults: ['agentic: unknown command "STRAT", did you mean "start"?'] },
  { args: ['fly'], faults: ['agentic: unknown command "fly"'] },
  { args: ['constructor'], faults: ['agentic: unknown command "constructor"'] },
  { args: ['\u001b[31mred'], faults: ['agentic: unknown command "\\u001b[31mred"'] },
  { args: ['--versoin'], faults: ['agentic: unknown option "--versoin", did you mean "--version"?'] },
  { args: ['check'], faults: ['agentic check: FILE is missing'] },
  { args: ['check', 'a.yaml', 'b.yaml'], faults: ['agentic check: unexpected argument "b.yaml"'] },
  {
    args: ['check', '--jsn'],
    faults: ['agentic check: unknown option --jsn, did you mean "--json"?', 'agentic check: FILE is missing'],
  },
  { args: ['check', 'a.yaml', '--json=yes'], faults: ['agentic check: --json takes no value'] },
  { args: ['check', 'a.yaml', '--__proto__'], faults: ['agentic check: unknown option --__proto__'] },
  {
    args: ['check', 'a.yaml', '--json', '--json'],
    faults: ['agentic check: --json is given more than once'],
  },
  { args: ['start'], faults: ['agentic start: --config FILE is missing'] },
  {
    args: ['start', '--confg', 'a.yaml'],
    faults: [
      'agentic start: unknown option --confg, did you mean "--config"?',
      'agentic start: --config FILE is missing',
      'agentic start: unexpected argument "a.yaml"',
    ],
  },
  { args: ['start', '-c'], faults: ['agentic start: -c needs a value'] },
  { args: ['start', '--config='], faults: ['agentic start: --config needs a value'] },
  {
    args: ['start', '-c', '--log-level', 'info'],
    faults: ['agentic start: -c needs a value', 'agentic start: unexpected argument "info"'],
  },
  {
    args: ['start', '-c', 'a.yaml', '--log-level', 'inof'],
    faults: [
      'agentic start: --log-level is one of debug, info, warn, error, silent, not "inof", did you mean "info"?',
    ],
  },
])('agentic $args is refused with what was meant', async ({ args, faults }) => {
  const command = faults[0]?.split(':')[0]
  const stderr = [...faults, `Run "${command} --help" for how to use it.`, ''].join('\n')
  expect(await runAgentic(args)).toEqual({ code: 2, signal: null, stdout: '', stderr })
})

test('every file of a command has its row, and its row the name of the command', async () => {
  const files = readdirSync(join(import.meta.dirname, '../src/commands')).filter(
    (name) => !name.includes('.test.'),
  )
  expect(commands.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted())
  for (const row of commands) {
    const command = await row.load()
    expect(command.name).toBe(row.name)
    expect(command.examples[0]).toMatch(new RegExp(`^agentic ${row.name}\\b`))
  }
})
