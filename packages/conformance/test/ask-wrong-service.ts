import { join } from 'node:path'
import { type ConformanceOptions, type Report, runConformance } from '../src/index.ts'
import { wrongScenario, wrongTokens } from './wrong-service/scenario.ts'
import { startWrongService, type Wrongs } from './wrong-service.ts'

/** Starts a wrong service, runs its scenario against it and stops it. */
export async function askWrongService(
  wrongs: Wrongs = {},
  { scenario, ...options }: Partial<ConformanceOptions> = {},
): Promise<Report> {
  const service = await startWrongService(wrongs)
  try {
    return await runConformance({
      baseUrl: service.url,
      scenario: { ...wrongScenario, ...scenario },
      env: wrongTokens,
      folder: join(import.meta.dirname, 'files'),
      ...options,
    })
  } finally {
    service.close()
  }
}
