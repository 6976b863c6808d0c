import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `conflict`. */
export const rowConflict = defineRule(rowRule('conflict'))
