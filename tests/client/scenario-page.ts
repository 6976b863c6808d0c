import type { Place } from '../../packages/client/test/scenarios/scenario.ts'
import { scenarios } from '../../packages/client/test/scenarios.ts'

declare global {
  /** Set in the page: runs one scenario there and returns its error. */
  var playScenario: (title: string, place: Place) => Promise<string | undefined>
}

globalThis.playScenario = async (title, place) => {
  const scenario = scenarios.find((each) => each.title === title)
  if (scenario === undefined) return `there is no scenario "${title}"`
  try {
    await scenario.run(place)
    return undefined
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}
