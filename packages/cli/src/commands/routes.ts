import { dirname, resolve } from 'node:path'
import { styleText } from 'node:util'
import {
  formatFaults,
  type GatewayConfig,
  loadConfig,
  type RouteConfig,
  type RouteTrial,
  routeMethods,
  type TriedRequest,
  tryRoute,
} from '@agentic-rest/gateway'
import { didYouMean } from '@agentic-rest/gateway/did-you-mean'
import { conditions, outcomes, printableText } from '@agentic-rest/profile'
import { defineCommand } from '../command.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { loadFilePlugins } from '../load-file-plugins.ts'
import { addToFile } from '../routes/add-to-file.ts'
import { textTable } from '../terminal-text.ts'

/** `agentic routes FILE`: lists the routes of a file, or finds the route of a request. */
export const routes = defineCommand({
  name: 'routes',
  description:
    'Lists the routes of a configuration file. --test shows the route of a request and its plugins. It uses the router of\n' +
    'the gateway, without a running gateway.\n' +
    '"npx agentic routes add FILE --from URL" adds the routes of an OpenAPI document that the file lacks, those of background\n' +
    'work and approvals included. All other text of the file stays as it is, and the difference is shown.',
  operands: [
    { name: 'FILE', description: 'The configuration file, or the word add.' },
    { name: 'FILE', description: 'After add: the configuration file.', optional: true },
  ],
  options: {
    test: {
      type: 'string',
      value: '"METHOD PATH"',
      description: 'The request to find a route for.',
    },
    from: {
      type: 'string',
      value: 'URL|FILE',
      description: 'After add: the address of a service, or its OpenAPI document.',
    },
    target: {
      type: 'string',
      value: 'URL',
      description: 'After add: the target of the new routes; the address of the service by default.',
    },
    'dry-run': { type: 'boolean', description: 'After add: shows the difference and writes nothing.' },
    json: { type: 'boolean', description: 'Prints the result as JSON.' },
  },
  examples: [
    'npx agentic routes gateway.yaml',
    'npx agentic routes gateway.yaml --test "POST /campaigns/x/optimizations"',
    'npx agentic routes gateway.yaml --json',
    'npx agentic routes add gateway.yaml --from http://127.0.0.1:8081',
    'npx agentic routes add gateway.yaml --from openapi.json --target http://127.0.0.1:8081 --dry-run',
  ],
  exitCodes: [
    [
      exitCodes.ok,
      'The routes were listed, the request has a route, or the file has all routes of the document.',
    ],
    [exitCodes.failed, 'The request has no route, or no service answers at the address.'],
    [exitCodes.invalid, 'The file, the document or the command line is not valid.'],
  ],
  async run({ values, operands: [first = '', second] }, host) {
    const { test, json, from, target, 'dry-run': dryRun } = values
    const isAdd = first === 'add' && second !== undefined
    const file = isAdd ? second : first
    const fault = argumentFault(values, first, second)
    if (fault !== undefined) return refuse(host, `agentic routes: ${fault}`)
    if (isAdd && from !== undefined) return await addToFile({ file, from, target, dryRun, json }, host)
    const request = test === undefined ? undefined : readRequest(test)
    if (typeof request === 'string') return refuse(host, `agentic routes: ${request}`)
    const loaded = loadConfig(file, host.env)
    if (!loaded.ok) return refuse(host, formatFaults(loaded.faults))
    if (request === undefined) return list(loaded.config, { host, json })
    const complete = await loadFilePlugins(loaded, host)
    if (!complete.ok) return refuse(host, formatFaults(complete.faults))
    const { config, customPlugins } = complete
    const trial = tryRoute(config, request, { customPlugins, baseFolder: dirname(resolve(file)) })
    return tell(request, trial, { host, json })
  },
})

interface Given {
  readonly test: string | undefined
  readonly from: string | undefined
  readonly target: string | undefined
  readonly 'dry-run': boolean
}

function argumentFault(values: Given, first: string, second: string | undefined): string | undefined {
  const { test, from, target, 'dry-run': dryRun } = values
  if (first === 'add' && second !== undefined) {
    if (test !== undefined) return '--test and add exclude each other'
    return from === undefined ? '--from URL|FILE is missing' : undefined
  }
  if (second !== undefined)
    return `unexpected argument ${JSON.stringify(second)}: ${JSON.stringify(first)} is no command${didYouMean(first, ['add'])}`
  const isForAdd = from !== undefined || target !== undefined || dryRun
  if (isForAdd && first === 'add') return 'FILE is missing after add'
  return isForAdd
    ? '--from, --target and --dry-run need the word add: "npx agentic routes add FILE --from URL"'
    : undefined
}

interface Telling {
  readonly host: Host
  readonly json: boolean
}

function refuse({ stderr }: Host, text: string): number {
  stderr.write(`${text}\n`)
  return exitCodes.invalid
}

/** Reads `METHOD PATH`; returns the fault as a text. */
function readRequest(text: string): TriedRequest | string {
  const [, word, target] = /^\s*(\S+)\s+(\S+)\s*$/.exec(text) ?? []
  if (word === undefined || target === undefined)
    return `--test is a method and a path, for example "POST /campaigns/x/optimizations", not ${JSON.stringify(text)}`
  const method = word.toUpperCase()
  if (routeMethods.some((known) => known === method)) return { method, target }
  return `${JSON.stringify(word)} is not a method of routes${didYouMean(word, routeMethods)}`
}

function list({ routes: all }: GatewayConfig, { host, json }: Telling): number {
  if (json) host.stdout.write(`${JSON.stringify({ routes: all }, null, 2)}\n`)
  else host.stdout.write(`${routeTable(all, host.stdout).join('\n')}\n`)
  return exitCodes.ok
}

const HEADINGS = ['ROUTE', 'METHOD', 'PATH', 'TARGET', 'MODE', 'DEADLINE', 'WANTS']

function routeTable(all: readonly RouteConfig[], stream: NodeJS.WriteStream): string[] {
  if (all.length === 0) return ['There is no route.']
  const [heading = '', ...lines] = textTable([HEADINGS, ...all.map(routeRow)])
  return [styleText('bold', heading, { stream }), ...lines]
}

function routeRow(route: RouteConfig): string[] {
  const { id, method, path, mode } = route
  return [id, method, path, placeOf(route), mode, deadlineOf(route), wantsOf(route)].map(printableText)
}

/** Its address, or the name of its upstream. */
function placeOf({ target, upstream }: RouteConfig): string {
  return target ?? `upstream ${upstream}`
}

function deadlineOf({ executionTimeoutSeconds: seconds }: RouteConfig): string {
  return seconds === 0 ? 'none' : `${seconds} s`
}

function wantsOf({ roles, scopes, allow, license }: RouteConfig): string {
  return [
    ...roles.map((role) => `role ${role}`),
    ...scopes.map((scope) => `scope ${scope}`),
    // A policy may have several lines.
    ...(allow === undefined ? [] : [`allow ${allow.replaceAll(/\s+/g, ' ').trim()}`]),
    ...(license === undefined ? [] : [`license ${license}`]),
  ].join(', ')
}

function tell(request: TriedRequest, trial: RouteTrial, { host, json }: Telling): number {
  const found = trial.type === 'route' || trial.type === 'own'
  const text = json ? JSON.stringify({ request, ...trial }, null, 2) : describe(request, trial, host.stdout)
  host.stdout.write(`${text}\n`)
  return found ? exitCodes.ok : exitCodes.failed
}

function describe(request: TriedRequest, trial: RouteTrial, stream: NodeJS.WriteStream): string {
  const line = printableText(`${request.method} ${request.target}`)
  switch (trial.type) {
    case 'route':
      return [styleText('bold', line, { stream }), ...routeLines(trial)].join('\n')
    case 'own':
      return `${line}: the gateway answers this itself, without a token and before any plugin`
    case 'no_route':
      return `${line}: no route has this path (${conditions.not_found} ROUTE_NOT_FOUND)`
    case 'method_not_allowed': {
      const methods = trial.allowedMethods.join(', ')
      return `${line}: the path has a route, but not for ${request.method} (${conditions.method_not_allowed} METHOD_NOT_ALLOWED); allowed: ${methods}`
    }
    case 'refused':
      return `${line}: the path ${trial.reason} (${outcomes.validation_failed.status} VALIDATION_FAILED)`
  }
}

function routeLines({ route, params, plugins }: Extract<RouteTrial, { type: 'route' }>): string[] {
  const parameters = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const facts = [
    ['  route', `${route.id} (${route.method} ${route.path})`],
    ...(parameters.length === 0 ? [] : [['  parameters', parameters.join(', ')]]),
    ['  target', placeOf(route)],
    ['  deadline', deadlineOf(route)],
    ...(route.mode === 'sse' ? [['  stream', 'when the request has Accept: text/event-stream']] : []),
    ['  conformance', route.conformance],
  ]
  const steps = plugins.map(({ name, runs, why }, index) => [
    `    ${index + 1} ${name}`,
    runs ? 'runs' : 'idle',
    why,
  ])
  return [...textTable(facts), '  plugins', ...textTable(steps)].map(printableText)
}
