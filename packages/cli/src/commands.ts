import type { CommandRow } from './command.ts'
import { boundYoungGeneration } from './young-generation.ts'

/** Every command, in the order of the overview. A new command is a file in `commands/` and a row here. */
export const commands: readonly CommandRow[] = [
  {
    name: 'dev',
    summary: 'Runs the reference stack, or the gateway of this folder with an identity provider.',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  {
    name: 'init',
    summary: 'Writes a service and its gateway, ready to run.',
    load: async () => (await import('./commands/init.ts')).init,
  },
  {
    name: 'start',
    summary: 'Runs a gateway.',
    load: async () => {
      // Before the modules of the gateway are loaded: V8 would make room for their objects.
      boundYoungGeneration()
      return (await import('./commands/start.ts')).start
    },
  },
  {
    name: 'reload',
    summary: 'Reloads the configuration of a running gateway.',
    load: async () => (await import('./commands/reload.ts')).reload,
  },
  {
    name: 'health',
    summary: 'Says by its exit code whether a gateway is ready.',
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'usage',
    summary: 'Shows requests, tokens and cost of tenants against their limits.',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  {
    name: 'explain',
    summary: 'Says step by step what happened to a request, and what to do.',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    name: 'check',
    summary: 'Checks a configuration file for faults and risky settings.',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'routes',
    summary: 'Lists routes, finds the route of a request, or adds the routes of a service.',
    load: async () => (await import('./commands/routes.ts')).routes,
  },
  {
    name: 'call',
    summary: 'Sends a request, follows it to its end and shows the outcome.',
    load: async () => (await import('./commands/call.ts')).call,
  },
  {
    name: 'approvals',
    summary: 'Lists what waits for a decision, and approves, rejects or waits.',
    load: async () => (await import('./commands/approvals.ts')).approvals,
  },
  {
    name: 'mcp',
    summary: 'Connects a desktop client to a gateway by MCP, or lists the tools that clients see.',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'token',
    summary: 'Prints a token for the running stack.',
    load: async () => (await import('./commands/token.ts')).token,
  },
  {
    name: 'validate',
    summary: 'Checks bodies, fixtures, OpenAPI documents and packages against the profile.',
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  {
    name: 'audit',
    summary: 'Makes keys for sealed audit logs, verifies logs and proves records.',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  {
    name: 'conformance',
    summary: 'Tests a live service or gateway against the profile.',
    load: async () => (await import('./commands/conformance.ts')).conformance,
  },
  {
    name: 'completion',
    summary: 'Prints a completion script for a shell.',
    load: async () => (await import('./commands/completion.ts')).completion(commands),
  },
]
