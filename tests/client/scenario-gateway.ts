import { Writable } from 'node:stream'
import { createGateway, createLog } from '@agentic-rest/gateway'
import { readConfig } from '@agentic-rest/testing/read-config'

/** A gateway in front of the scenario service. */
export interface ScenarioGateway {
  readonly url: string
  close(): Promise<void>
}

const operations = [
  ['GET', '/echo/{name}'],
  ['POST', '/echo/{name}'],
  ['GET', '/outcomes/{name}'],
  ['POST', '/tokens/{name}'],
  ['POST', '/campaigns/{campaignId}/optimizations'],
  ['POST', '/refunds/{kind}'],
  ['GET', '/approvals/{approvalId}'],
  ['POST', '/reports/{kind}'],
  ['GET', '/operations/{operationId}/status'],
  ['POST', '/flaky/{kind}'],
  ['GET', '/closed/{name}'],
] as const

/** Starts the gateway; pages of the service's origin may call it. */
export async function startScenarioGateway(serviceUrl: string): Promise<ScenarioGateway> {
  const routes = operations.map(([method, path]) => ({
    id: `${method} ${path}`,
    method,
    path,
    target: serviceUrl,
    conformance: 'enforce',
  }))
  const stream = { id: 'events', method: 'POST', path: '/events/{kind}', target: serviceUrl, mode: 'sse' }
  const gateway = createGateway({
    config: readConfig({ gateway: { cors: { origins: [serviceUrl] } }, routes: [...routes, stream] }),
    baseFolder: import.meta.dirname,
    version: '0.0.0-test',
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    log: createLog({ level: 'error', pretty: false, write: (line) => void process.stderr.write(line) }),
  })
  const port = await gateway.start()
  return { url: `http://127.0.0.1:${port}`, close: () => gateway.close() }
}
