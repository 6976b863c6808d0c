import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `forbidden`. */
export const rowForbidden = defineRule(rowRule('forbidden'))
