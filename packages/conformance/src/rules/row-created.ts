import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `created`. */
export const rowCreated = defineRule(rowRule('created'))
