import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const forbidden = {
  type: 'forbidden',
  code: 'CLOSED',
  message: 'No.',
  trace: { correlationId: 'corr-1', requestId: 'req-1' },
}
const { code: _code, ...withoutCode } = forbidden

test.each<[string, object, string, string]>([
  ['a missing member', withoutCode, 'schema.required', '#/code is required'],
  ['a member of another type', { ...forbidden, message: 7 }, 'schema.type', '#/message must be a string'],
  [
    'an unknown member, which is not named',
    { ...forbidden, 'secret-4711': true },
    'schema.additionalProperties',
    '# has a member that is not part of this body',
  ],
])('%s is in the record with its place', async (_name, body, rule, cause) => {
  const upstream = await startUpstream((_request, response) =>
    answerJson(response, { status: 403, type: 'application/vnd.agentic.error+json', body }),
  )
  const { url, audit } = await startGateway({
    routes: [{ id: 'read', method: 'GET', path: '/r', target: upstream.url, conformance: 'enforce' }],
  })
  const headers = { 'x-correlation-id': 'corr-1', 'x-request-id': 'req-1' }
  expect((await sendRequest(`${url}/r`, { headers })).status).toBe(500)
  await expect.poll(() => audit).toHaveLength(1)
  expect(audit[0]?.['attributes']).toMatchObject({ code: 'PROFILE_VIOLATION', rule, cause })
  expect(JSON.stringify(audit)).not.toContain('4711')
})
