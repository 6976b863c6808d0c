import { curve, shorten } from '../shell/picture.ts'
import { ScrollRegion } from '../shell/scroll-region.tsx'
import type { Part, Topology } from './topology.ts'

const box = { width: 188, height: 46, gapX: 56, gapY: 14, margin: 4 } as const

/** Gateway, services and agents as a picture. */
export function TopologyPicture({ topology }: { readonly topology: Topology }) {
  const { parts, lines, columns, rows } = topology
  const width = columns * (box.width + box.gapX) - box.gapX + 2 * box.margin
  const height = rows * (box.height + box.gapY) - box.gapY + 2 * box.margin
  const byId = new Map(parts.map((part) => [part.id, part]))
  return (
    <ScrollRegion label="Picture of gateway, services and agents" class="picture">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={describe(topology)}
      >
        {lines.map(([from, to]) => (
          <Line key={`${from} ${to}`} from={byId.get(from)} to={byId.get(to)} />
        ))}
        {parts.map((part) => (
          <PartBox key={part.id} part={part} />
        ))}
      </svg>
    </ScrollRegion>
  )
}

function describe({ parts, lines }: Topology): string {
  const titles = new Map(parts.map(({ id, title }) => [id, title]))
  return lines.map(([from, to]) => `${titles.get(from)} to ${titles.get(to)}`).join('; ')
}

function cornerOf({ column, row }: Part) {
  return {
    x: box.margin + column * (box.width + box.gapX),
    y: box.margin + row * (box.height + box.gapY),
  }
}

function Line({ from, to }: { readonly from: Part | undefined; readonly to: Part | undefined }) {
  if (from === undefined || to === undefined) return null
  const [a, b] = [cornerOf(from), cornerOf(to)]
  const [x1, y1, x2, y2] = [a.x + box.width, a.y + box.height / 2, b.x, b.y + box.height / 2]
  return <path class="edge" d={curve(x1, y1, { x: x2, y: y2 })} />
}

const TITLE_LENGTH = 20
const SUBTITLE_LENGTH = 31

function PartBox({ part }: { readonly part: Part }) {
  const { x, y } = cornerOf(part)
  return (
    <g class={`box ${part.kind}`}>
      <title>{`${part.title}: ${part.subtitle}`}</title>
      <rect x={x} y={y} width={box.width} height={box.height} rx={7} />
      <text x={x + 12} y={y + 20} class="box-title">
        {shorten(part.title, TITLE_LENGTH)}
      </text>
      <text x={x + 12} y={y + 36} class="box-subtitle">
        {shorten(part.subtitle, SUBTITLE_LENGTH)}
      </text>
    </g>
  )
}
