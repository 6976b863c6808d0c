import proxy from '@fastify/http-proxy'
import fastify from 'fastify'

/** The usual alternative in Node: Fastify's proxy with its defaults and without any checks. */
const { PORT = '', UPSTREAM = '' } = process.env
const app = fastify({ bodyLimit: 16 * 1024 * 1024 })
await app.register(proxy, { upstream: UPSTREAM, undici: { connections: 8192, pipelining: 1 } })
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
