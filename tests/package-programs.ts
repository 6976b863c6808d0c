/** A program for an installed package, with its output. */
export interface PackageProgram {
  readonly source: string
  readonly output: readonly string[]
}

/** One small program per published package. It uses the package for its purpose, over real sockets. */
export const packagePrograms: ReadonlyMap<string, PackageProgram> = new Map([
  [
    '@agentic-rest/profile',
    {
      source: `
        import { readOutcome, writeOutcome } from '@agentic-rest/profile'
        import { validateBody } from '@agentic-rest/profile/validate'
        const outcome = { type: 'conflict', code: 'BUSY', message: 'Already running.' }
        const written = writeOutcome(outcome, { correlationId: 'c', requestId: 'r' })
        const reading = readOutcome(written)
        console.log(written.status, written.headers['Content-Type'])
        console.log(reading.ok, reading.outcome.type, reading.outcome.code, reading.outcome.message)
        console.log(validateBody(JSON.parse(written.body)).valid, validateBody({}).valid)
      `,
      output: [
        '409 application/vnd.agentic.conflict+json',
        'true conflict BUSY Already running.',
        'true false',
      ],
    },
  ],
  [
    '@agentic-rest/gateway',
    {
      source: `
        import { writeFileSync } from 'node:fs'
        import { createGateway, createLog, loadPlugins, parseConfig } from '@agentic-rest/gateway'
        writeFileSync('closed.ts', \`
          import { definePlugin, type Outcome } from '@agentic-rest/gateway'
          export const plugin = definePlugin({
            name: 'closed',
            create: () => ({ request: (): Outcome => ({ type: 'forbidden', code: 'CLOSED', message: 'Closed.' }) }),
          })
        \`)
        const custom = '[{ name: closed, module: ./closed.ts }]'
        const sanitize = '{ rules: [{ name: secret, keywords: [swordfish], action: reject }] }'
        const routes = '[{ id: r, method: GET, path: /closed, target: "http://127.0.0.1:9" }, { id: w, method: POST, path: /large, target: "http://127.0.0.1:9" }]'
        const text = \`{ gateway: { port: 0 }, plugins: { token-validator: { mode: off }, tenant-injector: { trust_header: everyone }, prompt-sanitize: \${sanitize}, custom: \${custom} }, routes: \${routes} }\`
        const loaded = await loadPlugins(parseConfig(text, { file: 'gateway.yaml', env: {} }))
        const log = createLog({ level: 'error', pretty: false, write: (line) => console.log(line) })
        const gateway = createGateway({ ...loaded, log })
        const port = await gateway.start()
        for (const path of ['nowhere', 'closed']) {
          const answer = await fetch(\`http://127.0.0.1:\${port}/\${path}\`, { headers: { 'x-tenant-id': 'acme' } })
          console.log(answer.status, answer.headers.get('content-type'), (await answer.json()).code)
        }
        // Large enough to be inspected in a thread.
        const large = { method: 'POST', headers: { 'x-tenant-id': 'acme' }, body: 'x '.repeat(50_000) + 'swordfish' }
        const inspected = await fetch(\`http://127.0.0.1:\${port}/large\`, large)
        console.log(inspected.status, (await inspected.json()).errors[0].field)
        await gateway.drain()
      `,
      output: [
        '404 application/vnd.agentic.error+json ROUTE_NOT_FOUND',
        '403 application/vnd.agentic.error+json CLOSED',
        '422 body',
      ],
    },
  ],
  [
    '@agentic-rest/client',
    {
      source: `
        import { once } from 'node:events'
        import { createServer } from 'node:http'
        import { createClient } from '@agentic-rest/client'
        const server = createServer((request, response) => {
          response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ path: request.url }))
        }).listen(0, '127.0.0.1')
        await once(server, 'listening')
        const client = createClient({ baseUrl: \`http://127.0.0.1:\${server.address().port}\` })
        const outcome = await client.request({ method: 'POST', path: '/items/{id}', params: { id: 'a b' } })
        console.log(outcome.type, outcome.body.path)
        server.close()
        server.closeAllConnections()
      `,
      output: ['created /items/a%20b'],
    },
  ],
  [
    '@agentic-rest/service',
    {
      source: `
        import { createService, defineOperation, success } from '@agentic-rest/service'
        import { serve } from '@agentic-rest/service/node'
        const greet = defineOperation({
          id: 'greet',
          method: 'GET',
          path: '/greetings/{name}',
          run: ({ params }) => success({ hello: params.name }),
        })
        const service = createService({ operations: [greet], defaultTenant: 'acme' })
        const { port, stop } = await serve({ fetch: service.fetch, port: 0, closes: [service] })
        const answer = await fetch(\`http://127.0.0.1:\${port}/greetings/ada\`)
        console.log(answer.status, answer.headers.get('content-type'), (await answer.json()).hello)
        await stop()
      `,
      output: ['200 application/json ada'],
    },
  ],
  [
    '@agentic-rest/conformance',
    {
      source: `
        import { once } from 'node:events'
        import { createServer } from 'node:http'
        import { runConformance, writeReport } from '@agentic-rest/conformance'
        const server = createServer((request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
        }).listen(0, '127.0.0.1')
        await once(server, 'listening')
        const report = await runConformance({
          baseUrl: \`http://127.0.0.1:\${server.address().port}\`,
          scenario: { target: 'service', outcomes: { success: { request: { method: 'GET', path: '/' } } } },
          rules: ['row-success', 'profile-header'],
        })
        const seen = report.rows.filter(({ result }) => result !== 'not_observed')
        console.log(seen.map(({ rule, result }) => rule + ' ' + result).join(', '))
        console.log(writeReport(report, 'text').includes('1 of 10 outcomes observed'))
        server.close()
      `,
      output: ['row-success pass, profile-header fail', 'true'],
    },
  ],
  [
    '@agentic-rest/audit-log',
    {
      source: `
        import { generateKeyPairSync } from 'node:crypto'
        import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
        import { tmpdir } from 'node:os'
        import { join } from 'node:path'
        import { AuditFile, createNoteSigner, createNoteVerifier, logFiles, verifyLog } from '@agentic-rest/audit-log'

        const { privateKey } = generateKeyPairSync('ed25519')
        const signer = createNoteSigner('acme-gateway', privateKey.export({ type: 'pkcs8', format: 'pem' }))
        const file = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl')

        const log = new AuditFile({ file, seal: signer })
        await log.append({ records: ['{"event":"paid","amount":10}', '{"event":"paid","amount":20}'] })
        await log.close()

        const verify = () =>
          verifyLog({
            files: [file],
            verifier: createNoteVerifier(signer.verifierKey),
            checkpoints: [{ file: 'checkpoints', content: readFileSync(logFiles(file).checkpoints, 'utf8') }],
          })
        console.log((await verify()).faults.length)
        writeFileSync(file, readFileSync(file, 'utf8').replace('"amount":20', '"amount":99'))
        console.log((await verify()).faults.length > 0)
      `,
      output: ['0', 'true'],
    },
  ],
  [
    '@agentic-rest/http1',
    {
      source: `
        import { MalformedRequestError, RequestReader } from '@agentic-rest/http1'
        const limits = { maxHeadBytes: 16_384, maxHeaders: 100 }
        const reader = new RequestReader(limits, {
          onHead: ({ method, url, framing }) => console.log(method, url, framing),
          onBody: (bytes) => console.log(bytes.toString()),
          onComplete: () => console.log('complete'),
        })
        const read = (text) => {
          const bytes = Buffer.from(text, 'latin1')
          for (let at = 0; at < bytes.length; ) at = reader.read(bytes, at)
        }
        read('POST /orders HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2\\r\\n\\r\\nhi')
        try {
          read('POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
        } catch (error) {
          if (error instanceof MalformedRequestError) console.log(error.status, error.code)
        }
      `,
      output: ['POST /orders 2', 'hi', 'complete', '400 HPE_INVALID_TRANSFER_ENCODING'],
    },
  ],
  [
    '@agentic-rest/mcp',
    {
      source: `
        import { createEndpoint, createSeal, isToolName, systemEnvironment } from '@agentic-rest/mcp'
        const environment = systemEnvironment
        const secrets = ['a secret of at least thirty-two bytes']
        const seal = createSeal({ secrets, publicUrl: 'http://127.0.0.1/mcp', environment })
        const hello = { name: 'hello', inputSchema: { type: 'object' } }
        const result = { content: [{ type: 'text', text: 'Hello.' }] }
        const endpoint = createEndpoint({
          host: { list: () => [hello], call: async () => ({ type: 'result', result }) },
          seal,
          environment,
          serverInfo: { name: 'packed', version: '1' },
          legacy: 'sessions',
          listTtlSeconds: () => 0,
          instance: 'w1',
        })
        const ask = (method, params) =>
          endpoint.handle({
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: { jsonrpc: '2.0', id: 1, method, params },
            caller: { issuer: '', subject: '', tenant: undefined },
            signal: new AbortController().signal,
          })
        console.log((await ask('tools/list', {})).body)
        console.log((await ask('tools/call', { name: 'hello' })).body)
        console.log(isToolName('hello'), isToolName('a.b'))
      `,
      output: [
        '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"hello","inputSchema":{"type":"object"}}]}}',
        '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello."}]}}',
        'true false',
      ],
    },
  ],
  [
    '@agentic-rest/console',
    {
      source: `
        import { readFileSync } from 'node:fs'
        import { join } from 'node:path'
        import { consoleFolder } from '@agentic-rest/console'
        const page = readFileSync(join(consoleFolder, 'index.html'), 'utf8')
        for (const [, file] of page.matchAll(/"\\/(assets\\/[^"]+)"/g)) {
          console.log(file.replace(/-.*\\./, '.'), readFileSync(join(consoleFolder, file)).length > 100)
        }
      `,
      output: ['assets/icon.svg true', 'assets/index.js true', 'assets/index.css true'],
    },
  ],
  [
    '@agentic-rest/stack',
    {
      source: `
        import { randomInt } from 'node:crypto'
        import { writeFileSync } from 'node:fs'
        import { PassThrough } from 'node:stream'
        import { findFreeBase, requestToken, startStack } from '@agentic-rest/stack'
        const issuers = '[{ issuer: "http://127.0.0.1:9", audience: [agentic] }]'
        writeFileSync('own.yaml', \`{ gateway: { port: 0 }, plugins: { token-validator: { issuers: \${issuers} } }, routes: [] }\`)
        const portBase = await findFreeBase(randomInt(10_000, 25_000))
        const output = new PassThrough().resume()
        const stack = await startStack({ portBase, env: process.env, output, gatewayFile: 'own.yaml' })
        const token = await requestToken({ portBase, sub: 'alice' })
        const headers = { authorization: \`Bearer \${token}\` }
        const answer = await fetch(\`http://127.0.0.1:\${portBase}/nowhere\`, { headers })
        console.log(stack.parts.map(({ name }) => name).join(' '), answer.status, (await answer.json()).code)
        await stack.stop()
      `,
      output: ['gateway identity 404 ROUTE_NOT_FOUND'],
    },
  ],
  [
    'agentic-rest',
    {
      source: `
        import { writeFileSync } from 'node:fs'
        import { runAgentic } from 'agentic-rest'
        const issuers = '[{ issuer: "http://127.0.0.1:9", audience: [agentic] }]'
        writeFileSync('small.yaml', \`{ plugins: { token-validator: { issuers: \${issuers} }, tenant-injector: { allowed: [acme] } }, routes: [] }\`)
        console.log(await runAgentic(['check', 'small.yaml'], process))
      `,
      output: ['small.yaml is valid', '0'],
    },
  ],
])
