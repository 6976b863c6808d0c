import { isShowable } from './check-schema.ts'
import { quote } from './faults.ts'
import type { Draft, RuleFinding } from './rules/draft.ts'
import { gatewayRules } from './rules/gateway-rules.ts'
import { pluginRules } from './rules/plugin-rules.ts'
import { routeRules } from './rules/route-rules.ts'
import type { Finding } from './source/finding.ts'
import type { Position } from './source/line-index.ts'
import { nodeAt, placeAt, type SourceNode } from './source/source-node.ts'

/** What the rules need to know of the file. */
export interface RuleInput {
  readonly root: SourceNode
  /** The values of the tree as the schema read them. */
  readonly value: unknown
  readonly positionOf: (offset: number) => Position
}

/** Runs every rule that looks at more than one key. */
export const checkRules = (input: RuleInput): readonly Finding[] => {
  const draft = createDraft(input)
  return [...gatewayRules, ...routeRules, ...pluginRules]
    .flatMap((rule) => rule(draft))
    .map(locate(input.root))
}

const createDraft = ({ root, value, positionOf }: RuleInput): Draft => ({
  value,
  lineOf: (path) => positionOf(nodeAt(root, path)?.offset ?? 0).line,
  show(path) {
    const node = nodeAt(root, path)
    return node?.kind === 'scalar' && isShowable(node, path) ? ` ${quote(String(node.value))}` : ''
  },
})

const locate =
  (root: SourceNode) =>
  (finding: RuleFinding): Finding => {
    const { offset, end } = placeAt(root, finding.path)
    return { ...finding, offset, end }
  }
