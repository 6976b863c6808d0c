import { conditions, malformedStatuses, outcomes } from '@agentic-rest/profile'
import type { Node } from 'oxc-parser'
import { literalText } from '../../source-file.ts'
import { isQuantity } from './is-quantity.ts'

const statuses = new Set<number>([
  ...Object.values(outcomes).map(({ status }) => status),
  ...Object.values(conditions),
  ...Object.values(malformedStatuses),
])

/** The statuses of the profile that one node spells: as a number, as digits, or in the first line of an answer. */
export function findStatuses(node: Node, ancestors: readonly Node[]): string[] {
  if (node.type === 'Literal' && typeof node.value === 'number') {
    return statuses.has(node.value) && !isQuantity(node, ancestors) ? [String(node.value)] : []
  }
  const text = literalText(node) ?? ''
  const spelled = [/^\d{3}$/.exec(text)?.[0], /HTTP\/\d(?:\.\d)?\s+(\d{3})\b/i.exec(text)?.[1]]
  return spelled.filter((digits) => digits !== undefined && statuses.has(Number(digits))) as string[]
}
