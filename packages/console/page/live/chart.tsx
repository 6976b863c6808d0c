import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { useThemeTurn } from '../shell/theme.ts'
import { type Columns, timeRange } from './series.ts'

/** One series of a chart. Its colour is the name of a custom property. */
export interface ChartSeries {
  readonly label: string
  readonly colour: string
}

interface ChartProps {
  /** The text alternative of the chart. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly series: readonly ChartSeries[]
  readonly columns: Columns
  readonly format: (value: number) => string
}

const HEIGHT = 132

/** A chart over time. It is redrawn when the colours change, and updated when the values change. */
export function Chart({ label, kind, series, columns, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)
  const themeTurn = useThemeTurn()
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const made = new uPlot(
      optionsFor(element, { kind, series, format }),
      columns as uPlot.AlignedData,
      element,
    )
    chart.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [themeTurn, kind])
  useEffect(() => chart.current?.setData(columns as uPlot.AlignedData), [columns])
  return <div class="chart" ref={place} role="img" aria-label={label} />
}

function optionsFor(
  element: HTMLElement,
  look: Pick<ChartProps, 'kind' | 'series' | 'format'>,
): uPlot.Options {
  const colour = (name: string) => resolveColour(element, name)
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    // A fixed time range from the start, so that the speed of the chart is constant.
    scales: {
      x: { range: (_, __, max) => timeRange(max) },
      y: { range: (_, __, max) => [0, niceTop(max)] },
    },
    axes: [
      { ...axis, space: 70, size: 22, grid: { show: false }, values: (_, times) => times.map(clock) },
      { ...axis, size: 54, space: 34, values: (_, values) => values.map(look.format) },
    ],
    series: [{}, ...look.series.map((each) => seriesFor(each, look.kind, colour))],
  }
}

function seriesFor(
  { label, colour: name }: ChartSeries,
  kind: ChartProps['kind'],
  colour: (name: string) => string,
): uPlot.Series {
  const own = colour(name)
  if (kind === 'lines')
    return { label, stroke: own, width: 1.5, points: { show: true, size: 3, width: 0, fill: own } }
  const paths = uPlot.paths.bars?.({ size: [0.86, 10] })
  return { label, fill: own, width: 0, points: { show: false }, ...(paths && { paths }) }
}

/** The range of the scale, also without values, with some space above the highest bar. */
export function niceTop(max: number | null): number {
  if (max === null || !Number.isFinite(max) || max <= 0) return 1
  return max * 1.1
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false })
}

// A canvas cannot use custom properties, and `light-dark()` is resolved only in a used property.
function resolveColour(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(${name})`
  const resolved = getComputedStyle(element).color
  element.style.color = before
  return resolved
}
