import { rowRule } from '../judge.ts'
import { defineRule } from '../rule.ts'

/** Errors, table: the row of `failed_dependency`. */
export const rowFailedDependency = defineRule(rowRule('failed_dependency'))
