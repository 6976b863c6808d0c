/** A sampled profile of V8. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** The time of a function with its callees, in microseconds. */
export interface Frame {
  readonly name: string
  readonly kind: Kind
  total: number
  readonly children: Map<string, Frame>
}

/** The origin of a function. */
export type Kind = 'gateway' | 'node' | 'library' | 'native'

const WIDTH = 1200
const ROW = 17
const MIN_WIDTH = 1.5
const colours: Readonly<Record<Kind, string>> = {
  gateway: '#5b8def',
  node: '#9ccc9c',
  library: '#c9a0dc',
  native: '#cfcfcf',
}

/** Idle time, and module loading at the start, which is no cost of a request. */
const ignored = new Set(['(idle)', '(program)'])
const startUp = /node:internal\/(modules|bootstrap|main|process\/pre_execution|deps\/amaro)/

/** Sums the samples of a profile in one tree; a function with two callers appears twice. */
export function readFrames(profile: CpuProfile): Frame {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const root: Frame = { name: 'all', kind: 'native', total: 0, children: new Map() }
  for (const [index, id] of profile.samples.entries()) {
    const stack = stackOf(id, byId, parents)
    if (stack.some(({ callFrame }) => ignored.has(callFrame.functionName) || startUp.test(callFrame.url)))
      continue
    addSample(root, stack, profile.timeDeltas[index] ?? 0)
  }
  return root
}

function stackOf(
  id: number,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): ProfileNode[] {
  const stack: ProfileNode[] = []
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const node = byId.get(at)
    if (node !== undefined && node.callFrame.functionName !== '(root)') stack.unshift(node)
  }
  return stack
}

function addSample(root: Frame, stack: readonly ProfileNode[], microseconds: number): void {
  root.total += microseconds
  let frame = root
  for (const { callFrame } of stack) {
    const name = callFrame.functionName === '' ? '(anonymous)' : callFrame.functionName
    const key = `${name} ${callFrame.url}:${callFrame.lineNumber}`
    const child = frame.children.get(key) ?? {
      name,
      kind: kindOf(callFrame.url),
      total: 0,
      children: new Map(),
    }
    frame.children.set(key, child)
    child.total += microseconds
    frame = child
  }
}

function kindOf(url: string): Kind {
  if (url === '') return 'native'
  if (url.startsWith('node:')) return 'node'
  return url.includes('/node_modules/') ? 'library' : 'gateway'
}

/** The share of each kind, by the own time of its functions. */
export function shares(root: Frame): Record<Kind, number> {
  const own: Record<Kind, number> = { gateway: 0, node: 0, library: 0, native: 0 }
  const visit = (frame: Frame) => {
    const inChildren = [...frame.children.values()].reduce((sum, { total }) => sum + total, 0)
    if (frame !== root) own[frame.kind] += frame.total - inChildren
    for (const child of frame.children.values()) visit(child)
  }
  visit(root)
  return own
}

/** Draws the tree: the width is time, callers are above callees. */
export function drawFlameGraph(root: Frame): string {
  const boxes: string[] = []
  const depth = draw({ frame: root, left: 0, row: 0 }, WIDTH / root.total, boxes)
  const height = (depth + 1) * ROW + 24
  const legend = Object.entries(colours).map(
    ([kind, colour], index) =>
      `<rect x="${index * 110}" y="2" width="12" height="12" fill="${colour}"/><text x="${index * 110 + 17}" y="12">${kind}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11" role="img">
<title>Flame graph: time is width, callers stand above what they call</title>
<rect width="100%" height="100%" fill="#fff"/>
${legend.join('\n')}
<g transform="translate(0 22)">
${boxes.join('\n')}
</g>
</svg>
`
}

interface Place {
  readonly frame: Frame
  readonly left: number
  readonly row: number
}

function draw({ frame, left, row }: Place, scale: number, boxes: string[]): number {
  const width = frame.total * scale
  if (width < MIN_WIDTH) return row
  boxes.push(box(frame, { left, width, top: row * ROW }))
  let deepest = row
  let at = left
  for (const child of [...frame.children.values()].toSorted((first, second) => second.total - first.total)) {
    deepest = Math.max(deepest, draw({ frame: child, left: at, row: row + 1 }, scale, boxes))
    at += child.total * scale
  }
  return deepest
}

function box(
  { name, kind, total }: Frame,
  { left, width, top }: { readonly left: number; readonly width: number; readonly top: number },
): string {
  const fits = Math.floor((width - 4) / 6.6)
  const label =
    fits < 3
      ? ''
      : `<text x="${(left + 2).toFixed(1)}" y="${top + 12}">${escaped(name.slice(0, fits))}</text>`
  const title = `<title>${escaped(name)}: ${(total / 1000).toFixed(1)} ms</title>`
  const area = `x="${left.toFixed(1)}" y="${top}" width="${Math.max(width - 0.5, 0.5).toFixed(1)}" height="${ROW - 1}"`
  return `<g>${title}<rect ${area} fill="${colours[kind]}"/>${label}</g>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
