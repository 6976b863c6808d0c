import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ScenarioService, startScenarioService } from './scenario-service.ts'
import { scenarios } from './scenarios.ts'

describe('with the fetch of Node', () => {
  let service: ScenarioService
  beforeAll(async () => {
    service = await startScenarioService()
  })
  afterAll(() => service.close())

  test.each(scenarios)('$title', ({ run }) => run({ baseUrl: service.url, throughGateway: false }))
})
