import { defineOperation, type Operation, type Store, success } from '@agentic-rest/service'
import { campaignBody, findCampaign, noCampaign, toBody } from './campaign.ts'

/** `GET /campaigns/{campaignId}`. */
export function readCampaign(store: Store): Operation {
  return defineOperation({
    id: 'read-campaign',
    method: 'GET',
    path: '/campaigns/{campaignId}',
    summary: 'Shows a campaign.',
    output: { success: campaignBody },
    outcomes: ['success'],
    async run({ tenant, params }) {
      const campaign = await findCampaign(store, { tenant, campaignId: params.campaignId })
      return campaign === undefined ? noCampaign() : success(toBody(campaign))
    },
  })
}
