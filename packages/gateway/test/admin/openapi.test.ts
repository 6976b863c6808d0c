import { sendRequest } from '@agentic-rest/testing/send-request'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { adminOpenApi } from '../../src/admin/openapi.ts'
import { sendItem, startAdmin } from './harness/start-admin.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'admin', components: adminOpenApi.components })

function faultsOf(schema: string, value: unknown): unknown {
  const validate =
    ajv.getSchema(`admin#/components/schemas/${schema}`) ?? expect.fail(`there is no ${schema}`)
  return validate(value) === true ? [] : validate.errors
}

test('the description is served, and every answer matches it', async () => {
  const { adminUrl, url } = await startAdmin()
  await sendItem(url, 'corr-1')
  const cases = [
    ['GET', '/api/gateway', 'Gateway'],
    ['GET', '/api/routes', 'Routes'],
    ['GET', '/api/recent', 'Recent'],
    ['GET', '/api/requests', 'Requests'],
    ['GET', '/api/requests?before=x', 'Fault'],
    ['GET', '/api/usage', 'Usage'],
    ['GET', '/api/usage?tenant=acme', 'Usage'],
    ['GET', '/api/usage?tenant=a%20b', 'Fault'],
    ['GET', '/api/openapi?route=read-item', 'Fault'],
    ['GET', '/api/records?correlation_id=corr-1', 'Records'],
    ['GET', '/api/exchanges/req-corr-1', 'Exchange'],
    ['GET', '/api/exchanges/unknown', 'Fault'],
    ['GET', '/nothing', 'Fault'],
    ['POST', '/api/token', 'Token'],
    ['POST', '/api/records?part=gateway', 'Fault'],
  ] as const
  for (const [method, path, schema] of cases) {
    const { body } = await sendRequest(`${adminUrl}${path}`, {
      method,
      ...(method === 'POST' && { body: '{"sub":"alice"}' }),
    })
    expect([path, faultsOf(schema, JSON.parse(body.toString()))]).toEqual([path, []])
  }
  const served = await sendRequest(`${adminUrl}/openapi.json`)
  expect(JSON.parse(served.body.toString())).toEqual(JSON.parse(JSON.stringify(adminOpenApi)))
})

test('every described path exists with its methods', async () => {
  const { adminUrl } = await startAdmin()
  for (const [path, methods] of Object.entries(adminOpenApi.paths)) {
    const { status, headers } = await sendRequest(`${adminUrl}${path}`, { method: 'PATCH' })
    const allowed = String(headers['allow']).split(', ')
    expect([path, status, allowed.filter((name) => name !== 'HEAD').toSorted()]).toEqual([
      path,
      405,
      Object.keys(methods)
        .map((name) => name.toUpperCase())
        .toSorted(),
    ])
  }
})

test('every referenced schema exists', () => {
  const text = JSON.stringify(adminOpenApi)
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
  expect(Object.keys(adminOpenApi.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]))
})
