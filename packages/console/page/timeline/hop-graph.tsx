import { familyOf, outcomeWords, statusOfOutcome } from '../shell/outcome-family.ts'
import { curve, shorten } from '../shell/picture.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import { type Graph, type GraphEdge, type GraphNode, sizes } from './layout-graph.ts'

/** The hops as a picture. The waterfall has the same content as text. */
export function HopGraph({ graph }: { readonly graph: Graph }) {
  return (
    <ScrollRegion label="Hop graph" class="picture">
      <svg
        width={graph.width}
        height={graph.height}
        viewBox={`0 0 ${graph.width} ${graph.height}`}
        role="img"
        aria-label={describe(graph)}
      >
        {graph.edges.map((edge) => (
          <Edge key={edge.key} edge={edge} />
        ))}
        {graph.nodes.map((node) => (
          <Box key={node.key} node={node} />
        ))}
        {graph.edges.map((edge) => (
          <EdgeLabel key={edge.key} edge={edge} />
        ))}
      </svg>
    </ScrollRegion>
  )
}

function describe({ edges }: Graph): string {
  const sentences = edges.map(
    ({ from, to, outcome, isLost }) =>
      `${to.title} answered ${from.title} with ${outcomeWords(outcome)}${isLost ? ', which was swallowed' : ''}`,
  )
  return sentences.join('; ')
}

function ends({ from, to }: GraphEdge) {
  const middle = sizes.height / 2
  return { x1: from.x + sizes.width, y1: from.y + middle, x2: to.x, y2: to.y + middle }
}

function Edge({ edge }: { readonly edge: GraphEdge }) {
  const { x1, y1, x2, y2 } = ends(edge)
  return (
    <path
      d={curve(x1, y1, { x: x2, y: y2 })}
      class={`edge ${familyOf(edge.outcome)} ${edge.isLost ? 'lost' : ''}`}
    />
  )
}

const LABEL_WIDTH = 38
const LABEL_HEIGHT = 18

// Near the answering box, where the lines of one caller do not overlap.
function EdgeLabel({ edge }: { readonly edge: GraphEdge }) {
  const { x2, y2 } = ends(edge)
  const status = edge.status ?? statusOfOutcome(edge.outcome)
  const text = status === undefined ? withoutStatus(edge.outcome) : String(status)
  return (
    <g class={`edge-label ${familyOf(edge.outcome)}`}>
      <title>{outcomeWords(edge.outcome)}</title>
      <rect
        class="pill"
        x={x2 - LABEL_WIDTH - 10}
        y={y2 - LABEL_HEIGHT / 2}
        width={LABEL_WIDTH}
        height={LABEL_HEIGHT}
        rx={LABEL_HEIGHT / 2}
      />
      <text class="pill-text" x={x2 - LABEL_WIDTH / 2 - 10} y={y2 + 4} text-anchor="middle">
        {edge.isLost ? `${text} !` : text}
      </text>
    </g>
  )
}

function withoutStatus(outcome: string): string {
  return outcome === 'error' ? outcome : '…'
}

const TITLE_LENGTH = 18
const SUBTITLE_LENGTH = 23

function Box({ node }: { readonly node: GraphNode }) {
  return (
    <g class={`box ${node.kind} ${node.lost === undefined ? '' : 'lost'}`}>
      <title>{`${node.title}: ${node.subtitle}`}</title>
      <rect x={node.x} y={node.y} width={sizes.width} height={sizes.height} rx={7} />
      <text x={node.x + 12} y={node.y + 20} class="box-title">
        {shorten(node.title, TITLE_LENGTH)}
      </text>
      <text x={node.x + 12} y={node.y + 36} class="box-subtitle">
        {shorten(node.subtitle, SUBTITLE_LENGTH)}
      </text>
    </g>
  )
}
