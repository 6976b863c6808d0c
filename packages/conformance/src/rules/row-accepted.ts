import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `accepted`. */
export const rowAccepted = defineRule(rowRule('accepted'))
