import type { Guide } from '../guide.ts'
import { defineStop, demand } from '../stop.ts'
import { optimize } from './campaigns.ts'

async function askForApproval(guide: Guide) {
  const asked = await guide.expect(optimize('cmp-enterprise', { goal: 'ctr' }), 'approval_required')
  demand(asked.approver !== undefined, 'the answer has to name an approver')
  const approvalId = asked.answer.headers.get('location')?.split('/').at(-1)
  demand(approvalId !== undefined, 'the answer has to say where the approval is')
  return { approvalToken: asked.approvalToken, approvalId }
}

/** Somebody else has to approve. */
export const approval = defineStop({
  title: '412: somebody else has to approve, once, exactly this',
  why: 'cmp-enterprise spends more than alice may change by herself. Location names the approval: alice cannot give it, whatever she claims to be, and dave can. Then the same request with the token succeeds, once.',
  async run(guide) {
    const { approvalId, approvalToken } = await askForApproval(guide)
    const path = '/approvals/{approvalId}/approve'
    const approve = { method: 'POST', path, params: { approvalId } } as const
    const again = optimize('cmp-enterprise', { goal: 'ctr' }, { approvalToken })
    await guide.expect({ ...approve, as: 'alice' }, 'forbidden', 'APPROVAL_OWN_REQUEST')
    await guide.expect(again, 'approval_required')
    await guide.expect({ ...approve, as: 'dave' }, 'success')
    await guide.expect(again, 'created')
    await guide.expect(again, 'forbidden', 'APPROVAL_INVALID')
  },
})
