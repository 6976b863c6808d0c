import type { CpuProfile } from './flame-graph.ts'

/** The own time of each step in a profile, in microseconds. */
export type StepTimes = ReadonlyMap<string, number>

/** The files of each step. The innermost function of a sample that is in one of them decides. */
const STEPS: readonly (readonly [step: string, files: RegExp])[] = [
  ['deliver', /\/(?:line\/deliver|http1\/src\/server\/(?:reply|write-head)|upstream\/returned-headers)\.ts$/],
  ['route', /\/(?:line\/route|lifetime\/router)\.ts$|\/find-my-way\//],
  ['check', /\/upstream\/check-response\.ts$/],
  ['upstream', /\/(?:upstream\/|http1\/src\/client\/|line\/call-upstream\.ts$)/],
  ['record', /\/(?:metrics\/|line\/(?:respond|reason|reason-log)\.ts$|limits\/usage-ledger)/],
  ['listen', /\/(?:gateway\/(?:src|dist)\/listen|http1\/src\/server)\//],
  ['rest of the line', /\/gateway\/(?:src|dist)\//],
]
/** Used by several steps: their caller decides. */
const SHARED = /\/http1\/src\/[a-z-]+\.ts$|\/exchange\.ts$/
const PLUGIN = /\/plugins\/([a-z-]+)\//
const COLLECTOR = '(garbage collector)'
const IDLE = '(idle)'
/** Reads of sockets, timers and the event loop, without a function of the gateway. */
const RUNTIME = 'sockets and event loop'

/** Sums the samples of a profile by step, from a share of them on: the beginning is the start and the warm-up. */
export function stepTimes({ nodes, samples, timeDeltas }: CpuProfile, from = 0.5): StepTimes {
  const steps = stepsByNode(nodes)
  const times = new Map<string, number>()
  for (let index = Math.floor(samples.length * from); index < samples.length; index += 1) {
    const step = steps.get(samples[index] ?? 0)
    if (step !== undefined) times.set(step, (times.get(step) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return times
}

function stepsByNode(nodes: CpuProfile['nodes']): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const steps = new Map<number, string>()
  const visit = (id: number, outer: string) => {
    const node = byId.get(id)
    if (node === undefined) return
    const { functionName, url } = node.callFrame
    const step = functionName === COLLECTOR ? 'garbage collection' : (stepOf(url) ?? outer)
    if (functionName !== IDLE) steps.set(id, step)
    for (const child of node.children ?? []) visit(child, step)
  }
  const [root] = nodes
  if (root !== undefined) visit(root.id, RUNTIME)
  return steps
}

function stepOf(url: string): string | undefined {
  if (SHARED.test(url)) return undefined
  return PLUGIN.exec(url)?.[1] ?? STEPS.find(([, files]) => files.test(url))?.[0]
}

/** A table of the steps, each with its part of the CPU time of a request. */
export function stepTable(times: StepTimes, microsecondsPerRequest: number): string {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const rows = [...times]
    .toSorted(([, first], [, second]) => second - first)
    .map(([step, time]) => `| ${step} | ${((time / total) * microsecondsPerRequest).toFixed(1)} |`)
  return ['| Step | CPU µs |', '|---|---:|', ...rows, ''].join('\n')
}
