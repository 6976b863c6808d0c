import { printableText } from '@agentic-rest/profile'
import { defineCommand } from '../command.ts'
import { exitCodes, type Host } from '../host.ts'
import { readEndpoint } from '../mcp/endpoint.ts'
import { toolsOfFile, toolsOfGateway } from '../mcp/list-tools.ts'
import { serveLines } from '../mcp/serve-lines.ts'
import { showTools } from '../mcp/show-tools.ts'
import { jsonText } from '../terminal-text.ts'

/** `agentic mcp`: MCP over stdin and stdout in front of a gateway, and the tools that clients see. */
export const mcp = defineCommand({
  name: 'mcp',
  description:
    'Passes MCP messages of stdin on to a gateway and its messages to stdout, for desktop clients that start a program\n' +
    'instead of speaking HTTP. Nothing but messages is on stdout; failures are on stderr, and are errors of their requests.\n' +
    '"npx agentic mcp tools FILE|URL" lists the tools that clients see, with their arguments: of a configuration file, whose\n' +
    'services are asked for their documents as a gateway would, or of a running gateway, those that the caller may use.\n' +
    'Prefer the variable AGENTIC_TOKEN to --token: other users of a machine can see its command lines.',
  operands: [
    { name: 'ACTION', description: 'Lists tools instead.', choices: ['tools'], optional: true },
    {
      name: 'FILE|URL',
      description: 'After tools: a configuration file, or the address of a gateway.',
      optional: true,
    },
  ],
  options: {
    url: {
      type: 'string',
      value: 'URL',
      description: 'The address of the gateway; /mcp is added unless it ends so.',
    },
    token: {
      type: 'string',
      value: 'TOKEN',
      description:
        'The bearer token; by default, and better, from the variable AGENTIC_TOKEN. It is never shown.',
    },
    tenant: {
      type: 'string',
      value: 'TENANT',
      description: 'One of several tenants of the token, or the tenant of a service account.',
    },
    json: { type: 'boolean', description: 'After tools: prints the tools with their schemas as JSON.' },
  },
  examples: [
    'npx agentic mcp tools gateway.yaml',
    'AGENTIC_TOKEN="$(npx agentic token)" npx agentic mcp --url http://127.0.0.1:8080',
    'npx agentic mcp tools https://agents.example.com --json',
  ],
  exitCodes: [
    [exitCodes.ok, 'stdin has ended, or SIGTERM came; after tools, the tools were listed.'],
    [
      exitCodes.failed,
      'After tools: the gateway did not answer or refused the token, or a route of the file is no tool now.',
    ],
    [exitCodes.invalid, 'The file or the command line is not valid.'],
    [exitCodes.interrupted, 'Ended by Ctrl-C.'],
  ],
  async run({ values, operands: [action, source] }, host) {
    const { url, token, tenant, json } = values
    const fault = argumentFault({ url, json, action, source })
    if (fault !== undefined) return refuse(host, fault)
    if (source !== undefined && !/^https?:/i.test(source))
      return list(await toolsOfFile(source, host), json, host)
    const endpoint = readEndpoint({ baseUrl: source ?? url ?? '', token, tenant }, host.env)
    if (typeof endpoint === 'string') return refuse(host, endpoint)
    return action === undefined
      ? await serveLines(endpoint, host)
      : list(await toolsOfGateway(endpoint), json, host)
  },
})

interface Given {
  readonly url: string | undefined
  readonly json: boolean
  readonly action: string | undefined
  readonly source: string | undefined
}

function argumentFault({ url, json, action, source }: Given): string | undefined {
  if (action === undefined) {
    if (json) return '--json belongs to tools'
    return url === undefined ? '--url URL is missing' : undefined
  }
  if (url !== undefined) return 'tools takes the address as its argument, without --url'
  return source === undefined ? 'FILE|URL is missing after tools' : undefined
}

function refuse({ stderr }: Host, fault: string): number {
  stderr.write(`agentic mcp: ${fault}\n`)
  return exitCodes.invalid
}

function list(found: Awaited<ReturnType<typeof toolsOfFile>>, json: boolean, host: Host): number {
  if ('fault' in found) {
    host.stderr.write(`${printableText(found.fault)}\n`)
    return found.invalid ? exitCodes.invalid : exitCodes.failed
  }
  host.stdout.write(`${json ? jsonText(found) : showTools(found, host.stdout).join('\n')}\n`)
  return (found.missing ?? []).length === 0 ? exitCodes.ok : exitCodes.failed
}
