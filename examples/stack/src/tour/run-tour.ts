import { createGuide, type GuideOptions } from './guide.ts'
import type { Stop } from './stop.ts'

/** Walks the stops one after the other, all of them, and gives how many were wrong. */
export async function runTour(stops: readonly Stop[], options: GuideOptions): Promise<number> {
  const guide = createGuide(options)
  let wrong = 0
  for (const [index, stop] of stops.entries()) {
    options.paper.stop(index + 1, stop)
    try {
      await stop.run(guide)
      options.paper.right()
    } catch (error) {
      wrong += 1
      options.paper.wrong(error)
    }
  }
  options.paper.end(stops.length, wrong)
  return wrong
}
