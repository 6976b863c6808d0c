import type { Host } from './host.ts'

/** Finds the folder of the console's files. A gateway runs without them, so an error is only reported. */
export async function findConsoleFolder({ stderr }: Pick<Host, 'stderr'>): Promise<string | undefined> {
  try {
    return (await import('@agentic-rest/console')).consoleFolder
  } catch (error) {
    stderr.write(`The console cannot be shown: ${error instanceof Error ? error.message : String(error)}\n`)
    return undefined
  }
}
