import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `error`. */
export const rowError = defineRule(rowRule('error'))
