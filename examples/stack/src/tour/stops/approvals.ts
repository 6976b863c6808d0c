import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../guide.ts'
import { optimize } from './campaigns.ts'

// Above the limit for optimizations without an approval.
const MONTHLY_BUDGET = 75_000

/** A new campaign: for a shared one the same approval may already exist. */
async function createCampaign(guide: Guide): Promise<string> {
  const body = { name: 'A campaign of the tour', monthlyBudget: MONTHLY_BUDGET }
  const made = await guide.expect({ method: 'POST', path: '/campaigns', as: 'alice', body }, 'created')
  return (made.body as { id: string }).id
}

async function askForApproval(guide: Guide, campaignId: string) {
  const asked = await guide.expect(optimize(campaignId, { goal: 'ctr' }), 'approval_required')
  demand(asked.approver !== undefined, 'the answer has to name an approver')
  const approvalId = asked.answer.headers.get('location')?.split('/').at(-1)
  demand(approvalId !== undefined, 'the answer has to say where the approval is')
  return { approvalToken: asked.approvalToken, approvalId }
}

/** An approval by another person. */
export const approval = defineStop({
  title: '412: another person has to approve exactly this request',
  why: 'The campaign may spend more than alice can change by herself. Location is the address of the approval. Alice cannot approve her own request, dave can. Then the same request with the token succeeds once.',
  async run(guide) {
    const campaignId = await createCampaign(guide)
    const { approvalId, approvalToken } = await askForApproval(guide, campaignId)
    const path = '/approvals/{approvalId}/approve'
    const approve = { method: 'POST', path, params: { approvalId } } as const
    const again = optimize(campaignId, { goal: 'ctr' }, { approvalToken })
    await guide.expect({ ...approve, as: 'alice' }, 'forbidden', 'APPROVAL_OWN_REQUEST')
    await guide.expect(again, 'approval_required')
    await guide.expect({ ...approve, as: 'dave' }, 'success')
    await guide.expect(again, 'created')
    await guide.expect(again, 'forbidden', 'APPROVAL_INVALID')
  },
})
