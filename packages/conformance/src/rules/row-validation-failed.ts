import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `validation_failed`. */
export const rowValidationFailed = defineRule(rowRule('validation_failed'))
