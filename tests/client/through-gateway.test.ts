import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ScenarioService, startScenarioService } from '../../packages/client/test/scenario-service.ts'
import { scenariosFor } from '../../packages/client/test/scenarios/scenario.ts'
import { scenarios } from '../../packages/client/test/scenarios.ts'
import { type ScenarioGateway, startScenarioGateway } from './scenario-gateway.ts'

describe('with the fetch of Node, through a gateway', () => {
  let service: ScenarioService
  let gateway: ScenarioGateway
  beforeAll(async () => {
    service = await startScenarioService()
    gateway = await startScenarioGateway(service.url)
  })
  afterAll(async () => {
    await gateway.close()
    service.close()
  })

  test.each(scenariosFor({ throughGateway: true }, scenarios))('$title', ({ run }) =>
    run({ baseUrl: gateway.url, throughGateway: true }),
  )
})
