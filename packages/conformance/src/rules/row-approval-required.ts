import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `approval_required`. */
export const rowApprovalRequired = defineRule(rowRule('approval_required'))
