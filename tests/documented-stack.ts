import { sharedPart } from '@agentic-rest/testing/shared-parts'

/** The running reference stack for the commands of the pages. */
export interface DocumentedStack {
  /** A command of a page, adapted to the ports of this stack. */
  adapt(command: string): string
  /** The commands that it prints to try. */
  readonly shownCommands: readonly string[]
}

/** The stack that `npm start` has started for all tests. */
export async function useDocumentedStack(): Promise<DocumentedStack> {
  const { portBase, printed } = JSON.parse(await sharedPart('stack')) as { portBase: number; printed: string }
  return {
    adapt: (command) => forStack(command, portBase),
    shownCommands: printed.match(/^ {2}curl .*$/gm) ?? [],
  }
}

function forStack(command: string, base: number): string {
  return command
    .replaceAll(/127\.0\.0\.1:(8\d\d\d)/g, (_, port: string) => `127.0.0.1:${base + Number(port) - 8080}`)
    .replaceAll(/npx agentic token/g, `npx agentic token --port-base ${base}`)
    .replaceAll(/npm run tour( --)?/g, `npm run --silent tour -- --port-base ${base}`)
}
