import { ApprovalView } from '@agentic-rest/profile/approval'
import { h, type VNode } from 'preact'

/** The view of approvals that the approval page of the gateway uses too. */
export const approvalView = new ApprovalView<VNode>({
  make: (name, attributes, children) => h(name, attributes, ...children),
  level: 3,
})
