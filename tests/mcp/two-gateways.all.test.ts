import { request as httpRequest } from 'node:http'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect } from 'vitest'
import { folderWith, spawnAgentic } from '../../packages/cli/test/harness/run-agentic.ts'
import { testWithRedis } from '../../packages/gateway/test/shared-limits/with-redis.ts'
import { childrenOf } from '../workers/start-workers.ts'
import { askForGoal, replayLastRound, typeOf, walkBackground, walkOutcomes } from './campaign-flow.ts'
import { clientKinds, connectClient } from './official-clients.ts'
import { campaignStore, startCampaignWorld, startWritingGateway, untilComplete } from './tool-gateway.ts'

const store = campaignStore()

/** A proxy that gives each request to the next gateway, on a connection of its own. */
async function startRoundRobin(urls: readonly string[]): Promise<string> {
  let turn = 0
  const { url: proxyUrl } = await startServer((request, response) => {
    const { method, headers, url: path } = request
    const url = `${urls[turn++ % urls.length]}${path}`
    const forwarded = httpRequest(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  })
  return proxyUrl
}

testWithRedis(
  'two gateways behind a proxy serve all flows, also when a worker is killed between two rounds',
  async (startRedis) => {
    const { url: redis_url } = await startRedis()
    const { config, tokenOf, effects } = await startCampaignWorld(store)
    const shared = { ...config, gateway: { ...config.gateway, shared: { redis_url } } }
    const several = { ...shared, gateway: { ...shared.gateway, workers: 2 } }
    const folder = folderWith({ 'gateway.yaml': JSON.stringify(several) })
    const workers = spawnAgentic(['start', '-c', 'gateway.yaml'], { cwd: folder })
    const [{ baseUrl: one }, { port }] = await Promise.all([
      startWritingGateway(shared),
      workers.logged('the gateway is listening'),
    ])
    const two = `http://127.0.0.1:${port}`
    await Promise.all([one, two].map(untilComplete))
    const baseUrl = await startRoundRobin([one, two])
    const url = `${baseUrl}/mcp`

    for (const kind of clientKinds)
      await walkOutcomes({ baseUrl, tokenOf, connect: (person) => connectClient(kind, url, person) })

    const alice = await tokenOf('alice', 'campaign:optimize')
    await walkBackground(url, alice)
    const before = await effects()
    await replayLastRound(await askForGoal(url, alice))
    expect(await effects()).toBe(before + 1)

    // New connections go to the workers in turn: each serves the first round of one call, and one of them is killed.
    const ofWorkers = `${await startRoundRobin([two])}/mcp`
    const calls = [await askForGoal(ofWorkers, alice), await askForGoal(ofWorkers, alice)]
    const [victim = 0] = childrenOf(workers.child.pid ?? 0)
    process.kill(victim, 'SIGKILL')
    await workers.logged('a worker ended and is replaced')
    for (const { answer } of calls) expect(typeOf((await answer()).result)).toBe('created')
  },
)
