import type { Hop, Span } from './build-hops.ts'
import type { Swallowed } from './find-swallowed.ts'
import type { Folded } from './fold-hops.ts'

/** A box of the picture. */
export interface GraphNode {
  readonly key: string
  readonly x: number
  readonly y: number
  readonly kind: 'caller' | 'gateway' | 'service'
  readonly title: string
  readonly subtitle: string
  /** Set if an outcome of an inner agent was swallowed. */
  readonly lost: string | undefined
}

/** A line between two boxes: a request and its outcome. */
export interface GraphEdge {
  readonly key: string
  readonly from: GraphNode
  readonly to: GraphNode
  readonly outcome: string
  readonly status: number | undefined
  readonly isLost: boolean
}

/** The layout of a picture. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly width: number
  readonly height: number
}

/** The sizes of the picture, in its own units. */
export const sizes = { width: 164, height: 46, gapX: 64, gapY: 16, margin: 6 } as const

interface Drawing {
  readonly nodes: GraphNode[]
  readonly edges: GraphEdge[]
  readonly swallowed: readonly Swallowed[]
  rows: number
}

/** Lays out the hops from left to right, callers first, one lane per round. */
export function layoutGraph(rounds: readonly Folded[], swallowed: readonly Swallowed[]): Graph {
  const drawing: Drawing = { nodes: [], edges: [], swallowed, rows: 0 }
  for (const turn of turnsOf(rounds)) {
    const from = callerNode(turn, drawing)
    for (const { hop, count } of turn) drawHop(drawing, { hop, from, column: 1, count })
  }
  const right = Math.max(...drawing.nodes.map(({ x }) => x))
  return {
    nodes: drawing.nodes,
    edges: drawing.edges,
    width: right + sizes.width + sizes.margin,
    height: Math.max(drawing.rows, 1) * (sizes.height + sizes.gapY) - sizes.gapY + 2 * sizes.margin,
  }
}

interface HopPlace {
  readonly hop: Hop
  readonly from: GraphNode
  readonly column: number
  readonly count: number
}

function drawHop(drawing: Drawing, { hop, from, column, count }: HopPlace): void {
  const row = drawing.rows + (rowsOf(hop) - 1) / 2
  const spans = [hop.gateway, hop.service ?? hop.later[0]].filter((span) => span !== undefined)
  let last = from
  for (const [index, span] of spans.entries()) {
    const isService = span !== hop.gateway
    const node = nodeOf(drawing, { hop, span, count, isService, ...at(column + index, row) })
    drawing.edges.push(edgeOf(drawing, { hop, span, from: last, to: node }))
    last = node
  }
  if (hop.children.length === 0) drawing.rows += 1
  for (const child of hop.children)
    drawHop(drawing, { hop: child, from: last, column: column + spans.length, count: 1 })
}

interface NodePlace {
  readonly hop: Hop
  readonly span: Span
  readonly count: number
  readonly isService: boolean
  readonly x: number
  readonly y: number
}

function nodeOf(drawing: Drawing, { hop, span, count, isService, x, y }: NodePlace): GraphNode {
  const lost = drawing.swallowed.find(({ parent }) => parent === hop && isService)
  const times = count > 1 ? ` × ${count}` : ''
  const node: GraphNode = {
    key: `${drawing.nodes.length} ${hop.requestId}`,
    x,
    y,
    kind: isService ? 'service' : 'gateway',
    title: span.part,
    subtitle: `${span.operation}${times}`,
    lost: lost?.from,
  }
  drawing.nodes.push(node)
  return node
}

interface EdgePlace {
  readonly hop: Hop
  readonly span: Span
  readonly from: GraphNode
  readonly to: GraphNode
}

function edgeOf(drawing: Drawing, { hop, span, from, to }: EdgePlace): GraphEdge {
  const isLost = drawing.swallowed.some(({ child }) => child === hop) && from.kind === 'service'
  const { outcome, status } = span
  return { key: `${drawing.edges.length}`, from, to, outcome, status, isLost }
}

function at(column: number, row: number): { readonly x: number; readonly y: number } {
  return {
    x: sizes.margin + column * (sizes.width + sizes.gapX),
    y: sizes.margin + row * (sizes.height + sizes.gapY),
  }
}

function rowsOf(hop: Hop): number {
  return hop.children.length === 0 ? 1 : hop.children.reduce((rows, child) => rows + rowsOf(child), 0)
}

function countRows(rounds: readonly Folded[]): number {
  return rounds.reduce((rows, { hop }) => rows + rowsOf(hop), 0)
}

/** The rounds in order. An approval by another person is a round between them. */
function turnsOf(rounds: readonly Folded[]): Folded[][] {
  const turns: Folded[][] = []
  for (const round of rounds) {
    const turn = turns.at(-1)
    if (turn?.[0] !== undefined && callerOf(turn[0]) === callerOf(round)) turn.push(round)
    else turns.push([round])
  }
  return turns
}

function callerNode(turn: readonly Folded[], drawing: Drawing): GraphNode {
  const node: GraphNode = {
    key: `caller ${drawing.rows}`,
    ...at(0, drawing.rows + (countRows(turn) - 1) / 2),
    kind: 'caller',
    title: turn[0] === undefined ? '' : callerOf(turn[0]),
    subtitle: 'caller',
    lost: undefined,
  }
  drawing.nodes.push(node)
  return node
}

function callerOf({ hop: { gateway, service } }: Folded): string {
  return (gateway ?? service)?.record.actorId || 'somebody'
}
