import type { CommandRow } from './command.ts'

/** Every command, in the order of the overview. A new one is a file in `commands/` and a row here. */
export const commands: readonly CommandRow[] = [
  {
    name: 'dev',
    summary: 'Runs the reference stack, or the gateway of this folder, with an identity provider.',
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
    load: async () => (await import('./commands/start.ts')).start,
  },
  {
    name: 'reload',
    summary: 'Makes a running gateway read its file again.',
    load: async () => (await import('./commands/reload.ts')).reload,
  },
  {
    name: 'check',
    summary: 'Says whether a configuration file is valid, and what is unwise about it.',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'routes',
    summary: 'Lists the routes of a configuration file, or finds the one of a request.',
    load: async () => (await import('./commands/routes.ts')).routes,
  },
  {
    name: 'call',
    summary: 'Sends a request, carries it to its end and shows the outcome.',
    load: async () => (await import('./commands/call.ts')).call,
  },
  {
    name: 'token',
    summary: 'Prints a token that the running stack accepts.',
    load: async () => (await import('./commands/token.ts')).token,
  },
  {
    name: 'validate',
    summary: 'Says whether bodies, fixtures, OpenAPI documents and packages keep the profile.',
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  {
    name: 'conformance',
    summary: 'Asks a live service or gateway whether it keeps the profile.',
    load: async () => (await import('./commands/conformance.ts')).conformance,
  },
  {
    name: 'completion',
    summary: 'Prints a script that makes a shell complete commands and options.',
    load: async () => (await import('./commands/completion.ts')).completion(commands),
  },
]
