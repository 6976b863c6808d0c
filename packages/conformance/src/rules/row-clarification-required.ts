import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `clarification_required`. */
export const rowClarificationRequired = defineRule(rowRule('clarification_required'))
