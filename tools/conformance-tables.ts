import { clauses, outOfReach, rules } from '@agentic-rest/conformance'
import { codeText, markdownTable, tableText } from './generated.ts'

/** Every rule of the conformance suite with its clause. */
export function conformanceRules(): string {
  return markdownTable(
    ['Rule', 'Fact', 'Clause'],
    rules.map(({ id, title, clause }) => [codeText(id), tableText(title), tableText(clauses[clause].where)]),
  )
}

/** What the suite cannot see, and why. */
export function conformanceLimits(): string {
  return markdownTable(
    ['Clause', 'Demand', 'Why not'],
    outOfReach.map(({ where, demands, why }) => [where, demands, why].map(tableText)),
  )
}
