import type { Host } from './host.ts'

/** The folder of the console's files. Without them a gateway still runs, so their absence is told and nothing more. */
export async function findConsoleFolder({ stderr }: Pick<Host, 'stderr'>): Promise<string | undefined> {
  try {
    return (await import('@agentic-rest/console')).consoleFolder
  } catch (error) {
    stderr.write(`The console cannot be shown: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}
