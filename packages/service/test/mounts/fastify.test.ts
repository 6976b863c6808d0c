import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { createService } from '../../src/index.ts'
import { ask } from '../harness/ask.ts'
import { operations } from './campaign-operations.ts'
import { expectMounted } from './expect-mounted.ts'

it('a service is mounted in Fastify, below a path of its own and beside other routes', async () => {
  const service = createService({ operations, publicPath: '/agent' })
  const app = fastify()
  app.post('/hello', (request) => ({ hello: (request.body as { name: string }).name }))
  app.register(
    async (scope) => {
      // In this scope Fastify does not read bodies.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      scope.all('/*', (request, reply) => {
        reply.hijack()
        request.raw.url = request.url.slice('/agent'.length)
        service.listener(request.raw, reply.raw)
      })
    },
    { prefix: '/agent' },
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
    await service.close()
  })
  await expectMounted(`${url}/agent`)
  expect(JSON.parse((await ask(`${url}/hello`, { json: { name: 'Bo' } })).text)).toEqual({ hello: 'Bo' })
})
