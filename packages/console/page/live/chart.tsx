import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { useThemeTurn } from '../shell/theme.ts'
import type { Columns } from './series.ts'

/** One line or bar of a chart; its colour is the name of a custom property. */
export interface ChartSeries {
  readonly label: string
  readonly colour: string
}

interface ChartProps {
  /** What the chart shows, for people who do not see it. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  readonly series: readonly ChartSeries[]
  readonly columns: Columns
  readonly format: (value: number) => string
}

const HEIGHT = 132
const SHOWN_SECONDS = 180

/** A chart over time. It is drawn anew when the colours change, and fed when the values do. */
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
    // The same width of time from the start, so that nothing seems to slow down while values gather.
    scales: {
      x: { range: (_, __, max) => [max - SHOWN_SECONDS, max] },
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

/** A chart without values still has a scale, and the highest bar has some air above it. */
export function niceTop(max: number | null): number {
  if (max === null || !Number.isFinite(max) || max <= 0) return 1
  return max * 1.1
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false })
}

// A canvas knows no custom properties, and those with `light-dark()` are settled only where they are used.
function resolveColour(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(${name})`
  const resolved = getComputedStyle(element).color
  element.style.color = before
  return resolved
}
