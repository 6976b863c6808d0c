import { ids, sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { plugin as costCentre } from '../docs/examples/cost-centre.ts'
import { officeHours } from '../docs/examples/office-hours.ts'
import {
  startWithPlugins,
  tokenWith,
  withTokens,
} from '../packages/gateway/test/custom-plugins/start-with-plugins.ts'

test('office-hours refuses changes outside its hours, in its time zone', async () => {
  let now = new Date(0)
  const plugin = officeHours(() => now)
  const options = { opens: 9, closes: 17, zone: 'Europe/Berlin' }
  const { url, upstream } = await startWithPlugins([{ plugin, after: 'tenant-injector', options }])
  const post = async (time: string) => {
    now = new Date(time)
    return await sendRequest(`${url}/items/1`, { method: 'POST' })
  }
  // Winter: Berlin is an hour ahead of UTC. In summer it is two.
  for (const time of ['2026-01-05T08:00:00Z', '2026-01-05T15:59:59Z', '2026-07-06T07:00:00Z'])
    expect([time, (await post(time)).status]).toEqual([time, 200])
  for (const time of ['2026-01-05T07:59:59Z', '2026-01-05T16:00:00Z', '2026-01-05T23:30:00Z']) {
    const { status, headers, body } = await post(time)
    expect([time, status, headers['content-type']]).toEqual([time, 403, 'application/vnd.agentic.error+json'])
    expect(JSON.parse(body.toString())).toEqual({
      type: 'forbidden',
      code: 'OUT_OF_HOURS',
      message: "This operation is open 9 to 17 o'clock, Europe/Berlin.",
      trace: ids,
    })
  }
  expect((await sendRequest(`${url}/items/1`)).status).toBe(200)
  expect(upstream.requests).toHaveLength(4)
})

test('cost-centre records the claim', async () => {
  const { url, audit } = await startWithPlugins([{ plugin: costCentre, options: { claim: 'department' } }], {
    plugins: withTokens,
  })
  for (const claims of [{ department: 'research' }, {}])
    await sendRequest(`${url}/items/1`, { headers: { authorization: `Bearer ${await tokenWith(claims)}` } })
  await expect.poll(() => audit).toHaveLength(2)
  expect(audit.map(({ attributes }) => attributes)).toMatchObject([
    { cost_centre: 'research' },
    { cost_centre: 'none' },
  ])
})
