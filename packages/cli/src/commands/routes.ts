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
import { conditions, outcomes } from '@agentic-rest/profile'
import { defineCommand } from '../command.ts'
import type { Host } from '../host.ts'
import { exitCodes } from '../host.ts'
import { loadFilePlugins } from '../load-file-plugins.ts'
import { terminalText, textTable } from '../terminal-text.ts'

/** `agentic routes FILE`: lists the routes of a file, or finds the route of a request. */
export const routes = defineCommand({
  name: 'routes',
  description:
    'Lists the routes of a configuration file. --test shows the route of a request and its plugins. It uses the router of\n' +
    'the gateway, without a running gateway.',
  operands: [{ name: 'FILE', description: 'The configuration file.' }],
  options: {
    test: {
      type: 'string',
      value: '"METHOD PATH"',
      description: 'The request to find a route for.',
    },
    json: { type: 'boolean', description: 'Prints the result as JSON.' },
  },
  examples: [
    'agentic routes gateway.yaml',
    'agentic routes gateway.yaml --test "POST /campaigns/x/optimizations"',
    'agentic routes gateway.yaml --json',
  ],
  exitCodes: [
    [exitCodes.ok, 'The routes were listed, or the request has a route.'],
    [exitCodes.failed, 'The request has no route.'],
    [exitCodes.invalid, 'The file or the command line is not valid.'],
  ],
  async run({ values: { test, json }, operands: [file = ''] }, host) {
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
  const { id, method, path, target, mode } = route
  return [id, method, path, target, mode, deadlineOf(route), wantsOf(route)].map(terminalText)
}

function deadlineOf({ executionTimeoutSeconds: seconds }: RouteConfig): string {
  return seconds === 0 ? 'none' : `${seconds} s`
}

function wantsOf({ roles, license }: RouteConfig): string {
  const feature = license === undefined ? [] : [`license ${license}`]
  return [...roles.map((role) => `role ${role}`), ...feature].join(', ')
}

function tell(request: TriedRequest, trial: RouteTrial, { host, json }: Telling): number {
  const found = trial.type === 'route' || trial.type === 'own'
  const text = json ? JSON.stringify({ request, ...trial }, null, 2) : describe(request, trial, host.stdout)
  host.stdout.write(`${text}\n`)
  return found ? exitCodes.ok : exitCodes.failed
}

function describe(request: TriedRequest, trial: RouteTrial, stream: NodeJS.WriteStream): string {
  const line = terminalText(`${request.method} ${request.target}`)
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
    ['  target', route.target],
    ['  deadline', deadlineOf(route)],
    ...(route.mode === 'sse' ? [['  stream', 'when the request has Accept: text/event-stream']] : []),
    ['  conformance', route.conformance],
  ]
  const steps = plugins.map(({ name, runs, why }, index) => [
    `    ${index + 1} ${name}`,
    runs ? 'runs' : 'idle',
    why,
  ])
  return [...textTable(facts), '  plugins', ...textTable(steps)].map(terminalText)
}
