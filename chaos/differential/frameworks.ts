import type { RequestListener } from 'node:http'
import { openServer } from '@agentic-rest/testing/open-server'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'

/** A framework with the routes of the comparison. Its answer names the route that served the request. */
export interface Framework {
  readonly name: string
  /** The first segment of its paths. */
  readonly prefix: string
  readonly port: number
  stop(): Promise<void>
}

/** The routes that gateway and frameworks have, literals beside parameters. */
export const templates = [
  '/items/{id}',
  '/items/export',
  '/items/assets:generate',
  '/items/{id}/log',
  '/users/{id}/{part}',
  '/users/active/log',
  '/{area}/status',
  '/admin/status',
] as const

/** The header of an answer with the template that served the request. */
export const SERVED_BY = 'x-served-by'

/** Starts Express, Fastify and Hono with their default reading of paths. */
export async function startFrameworks(): Promise<Framework[]> {
  return await Promise.all([
    start('express', expressListener('/express')),
    start('fastify', await fastifyListener('/fastify')),
    start('hono', honoListener('/hono')),
  ])
}

async function start(name: string, listener: RequestListener): Promise<Framework> {
  const { port, close } = await openServer(listener, { keepAliveTimeout: 60_000 })
  return { name, prefix: `/${name}`, port, stop: close }
}

function expressListener(prefix: string): RequestListener {
  const app = express()
  for (const template of literalsFirst())
    app.get(prefix + pathOf(template, '\\:'), (_request, response) => {
      response.setHeader(SERVED_BY, template)
      response.json({})
    })
  return app
}

async function fastifyListener(prefix: string): Promise<RequestListener> {
  const app = fastify()
  for (const template of templates)
    app.get(prefix + pathOf(template, '::'), (_request, reply) => reply.header(SERVED_BY, template).send({}))
  await app.ready()
  return app.routing
}

function honoListener(prefix: string): RequestListener {
  // Its default router reads a colon inside a segment as a parameter.
  const app = new Hono({ router: new TrieRouter() })
  for (const template of literalsFirst())
    app.get(prefix + pathOf(template, ':'), (context) => context.json({}, 200, { [SERVED_BY]: template }))
  return getRequestListener(app.fetch, { overrideGlobalObjects: false })
}

/** Express and Hono take the first route that matches. */
function literalsFirst(): string[] {
  const parameters = (template: string) => template.split('{').length
  return templates.toSorted((first, second) => parameters(first) - parameters(second))
}

/** A template in the syntax of the frameworks; `colon` writes the colon of a literal. */
function pathOf(template: string, colon: string): string {
  return template.replaceAll(':', colon).replaceAll(/\{(\w+)\}/g, ':$1')
}
