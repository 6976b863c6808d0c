import { outcomes, PROFILE_VERSION } from '@agentic-rest/profile'
import { type AdminBodyName, adminBodies } from '@agentic-rest/profile/admin'
import { faultCodes } from './answer.ts'

/** A reference to a body of the document. */
const ref = (name: AdminBodyName) => ({ $ref: `#/components/schemas/${name}` })

const JSON_TYPE = outcomes.success.mediaType

const answered = (name: AdminBodyName) => ({
  description: 'The answer.',
  content: { [JSON_TYPE]: { schema: ref(name) } },
})

const refused = { description: 'A refusal.', content: { [JSON_TYPE]: { schema: ref('Fault') } } }

const operation = (
  summary: string,
  responses: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
) => ({ summary, ...more, responses: { ...responses, default: refused } })

const ok = (name: AdminBodyName) => ({ [outcomes.success.status]: answered(name) })

const query = (name: string, description: string) => ({
  parameters: [{ name, in: 'query', required: true, description, schema: { type: 'string' } }],
})

const body = (content: Readonly<Record<string, unknown>>) => ({ requestBody: { required: true, content } })

/** The OpenAPI 3.1 description of the admin listener. */
export const adminOpenApi = {
  openapi: '3.1.0',
  info: {
    title: 'Agentic REST gateway, admin listener',
    version: PROFILE_VERSION,
    description:
      'What the console reads. Outside development reading needs a token with the role of a viewer or an operator (gateway.admin.roles), anything else that of an operator. Viewers see [hidden] for the path and query of addresses, for keywords and regex of rules, and no faults of a reload.',
  },
  paths: {
    '/api/gateway': { get: operation('What runs, and from which configuration', ok('Gateway')) },
    '/api/routes': { get: operation('Routes, plugins in order, and services', ok('Routes')) },
    '/api/openapi': {
      get: operation(
        'The OpenAPI document of the service behind a route, at most 1 MiB',
        ok('ServiceDocument'),
        query('route', 'The id of the route.'),
      ),
    },
    '/api/reload': {
      post: operation('Reads the file again and uses it, or says why not and changes nothing', ok('Reload')),
    },
    '/api/feed': {
      get: operation('Requests as they pass, at most 50 a second, and a summary each second as heartbeat', {
        [outcomes.success.status]: {
          description: 'Events `request` with a RequestRow and `summary` with a Summary.',
          content: { 'text/event-stream': { schema: { anyOf: [ref('RequestRow'), ref('Summary')] } } },
        },
      }),
    },
    '/api/usage': {
      get: operation(
        'Requests, tokens and cost of tenants, today and this month in UTC, and the state of their limits',
        ok('Usage'),
        {
          parameters: [
            {
              name: 'tenant',
              in: 'query',
              required: false,
              description: 'One tenant; without it the 100 with the most requests of this month.',
              schema: { type: 'string' },
            },
          ],
        },
      ),
    },
    '/api/requests': {
      get: operation('The remembered requests, newest first, 512 on a page', ok('Requests'), {
        parameters: [
          {
            name: 'before',
            in: 'query',
            required: false,
            description: 'The `next` of the page before; without it the newest requests.',
            schema: { type: 'number' },
          },
        ],
      }),
    },
    '/api/recent': {
      get: operation('The last exchanges, newest first', ok('Recent'), {
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            description: 'How many exchanges to list.',
            schema: { type: 'integer', minimum: 1, maximum: 512, default: 100 },
          },
          {
            name: 'until',
            in: 'query',
            required: false,
            description: 'The `at` of the last exchange of the page before, which is listed again.',
            schema: { type: 'string', format: 'date-time' },
          },
        ],
      }),
    },
    '/api/exchanges/{requestId}': {
      get: operation('One of the last requests, step by step', ok('Exchange'), {
        parameters: [
          {
            name: 'requestId',
            in: 'path',
            required: true,
            description: 'The id of the request.',
            schema: { type: 'string' },
          },
          {
            name: 'span_id',
            in: 'query',
            required: false,
            description: 'The `spanId` of one of several requests with the same id; without it the newest.',
            schema: { type: 'string' },
          },
        ],
      }),
    },
    '/api/records': {
      get: operation(
        'The records of one correlation id, of all parts, by time',
        ok('Records'),
        query('correlation_id', 'The id that the records share.'),
      ),
      post: operation(
        'Takes records of a service or of another gateway',
        { '204': { description: 'They are taken.' } },
        {
          ...query('part', 'The name of the part that wrote them.'),
          ...body({
            'application/x-ndjson': { schema: { type: 'string' } },
            [JSON_TYPE]: { schema: { type: 'array', maxItems: 1000, items: ref('AuditEvent') } },
          }),
        },
      ),
    },
    '/session': {
      get: operation('Leads to the page', { '303': { description: 'The page is at `Location`.' } }),
      post: operation(
        'Signs a browser in with a token that the listener accepts; outside development only',
        { '303': { description: 'The session is opened, and the page is at `Location`.' } },
        body({
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
          },
        }),
      ),
      delete: operation('Signs a browser out', { '204': { description: 'The session is over.' } }),
    },
    '/api/token': {
      post: operation(
        'A token for anyone; in development only',
        ok('Token'),
        body({ [JSON_TYPE]: { schema: ref('TokenWish') } }),
      ),
    },
  },
  components: {
    schemas: schemas(),
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'agentic-{port}' },
    },
  },
  security: [{ token: [] }, { session: [] }, {}],
} as const

function schemas() {
  const all = Object.entries(adminBodies).map(([name, { schema }]) => [name, schema])
  const { properties, ...fault } = adminBodies.Fault.schema
  const code = { type: 'string', enum: faultCodes }
  return { ...Object.fromEntries(all), Fault: { ...fault, properties: { ...Object(properties), code } } }
}
