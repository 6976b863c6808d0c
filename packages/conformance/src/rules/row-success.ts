import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `success`. */
export const rowSuccess = defineRule(rowRule('success'))
