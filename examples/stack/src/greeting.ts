import type { Person } from '@agentic-rest/gateway'
import type { Stack } from './start-stack.ts'

/** The content of the greeting. */
export interface Greeting {
  readonly stack: Stack
  readonly token: string
  /** The person of the token. */
  readonly person: Person
  /** The command that prints a token. */
  readonly tokenCommand: string
  /** The command for the tour, if there is one. */
  readonly tourCommand?: string | undefined
  readonly dataFolder: string | undefined
  /** Whether the services use the database of `DATABASE_URL`. */
  readonly hasServer: boolean
  readonly seconds: number
}

interface Example {
  /** The part that this example needs. */
  readonly part: string
  readonly title: string
  readonly command: (gateway: string, token: string) => string
}

const examples: readonly Example[] = [
  {
    part: 'campaigns',
    title: 'Ask an agent to optimize a campaign, without a goal. It asks for one:',
    command: (gateway, token) =>
      `curl -i --oauth2-bearer ${token} --json '{}' ${gateway}/campaigns/cmp-123/optimizations`,
  },
  {
    part: 'llm',
    title: 'Read a text as a stream:',
    command: (gateway, token) =>
      `curl -N --oauth2-bearer ${token} -H 'Accept: text/event-stream' --json '{"prompt":"Hello"}' ${gateway}/llm/completions`,
  },
  {
    part: 'llm',
    title: 'Ask for a text without a prompt. The answer names the missing input:',
    command: (gateway, token) => `curl -i --oauth2-bearer ${token} --json '{}' ${gateway}/llm/completions`,
  },
]

const SHOWN_EXAMPLES = 2

/** Lists the parts with their addresses, a token, and two example commands. */
export function greet(greeting: Greeting): string {
  const { stack, token, person, tokenCommand, tourCommand, seconds } = greeting
  const gateway = stack.parts.find(({ name }) => name === 'gateway')?.url ?? ''
  const running = new Set(stack.parts.map(({ name }) => name))
  const shown = examples.filter(({ part }) => running.has(part)).slice(0, SHOWN_EXAMPLES)
  const tried = shown.flatMap(({ title, command }) => [
    title,
    `  ${command(gateway, `"$(${tokenCommand})"`)}`,
    '',
  ])
  return [
    `Agentic REST runs as process ${process.pid} after ${seconds.toFixed(1)} seconds. Ctrl-C ends it.`,
    '',
    ...listParts(stack),
    '',
    ...(stack.consoleUrl === undefined
      ? []
      : ['Watch requests and try the API in the console:', `  ${stack.consoleUrl}`, '']),
    ...(running.has('campaigns')
      ? [
          'Approve what waits, signed in as one of the people:',
          `  ${gateway}/approvals`,
          '',
          'MCP clients find the campaigns as tools at:',
          `  ${gateway}/mcp`,
          '',
        ]
      : []),
    storage(greeting),
    '',
    `A token of ${describe(person)}; \`${tokenCommand}\` prints another one:`,
    `  ${token}`,
    '',
    ...tried,
    ...(tourCommand === undefined ? [] : ['Take the tour, in another terminal:', `  ${tourCommand}`, '']),
  ].join('\n')
}

/** Where data, keys and records are. */
function storage({ dataFolder, hasServer }: Pick<Greeting, 'dataFolder' | 'hasServer'>): string {
  if (dataFolder === undefined)
    return hasServer
      ? 'Data is in the database of DATABASE_URL. Nothing else is stored: keys and records are lost at the end.'
      : 'Nothing is stored: data and records are lost at the end.'
  const data = hasServer ? 'in the database of DATABASE_URL, keys are in' : 'in'
  return `Data is ${data} ${dataFolder}, the audit records of each part in ${dataFolder}/audit.`
}

function describe({ sub, tenant, roles }: Person): string {
  return `${sub} of ${tenant}, ${roles.length === 0 ? 'without roles' : `roles ${roles.join(', ')}`}`
}

function listParts({ parts }: Stack): string[] {
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length))
  const [names, urls] = [width(parts.map(({ name }) => name)), width(parts.map(({ url }) => url))]
  return parts.map(
    ({ name, url, pid, purpose }) =>
      `  ${name.padEnd(names)}  ${url.padEnd(urls)}  process ${String(pid).padEnd(7)}  ${purpose}`,
  )
}
