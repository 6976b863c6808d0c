import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import type { CollectionSizes, MemorySample } from './memory-sample.ts'

/**
 * Loaded into a gateway by `--import`: at SIGUSR2 it collects garbage and writes down what is left. The product knows
 * nothing of it.
 */
const file = process.env['CHAOS_PROBE_FILE'] ?? ''
let count = 0

process.on('SIGUSR2', () => {
  count += 1
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  const sample: MemorySample = {
    count,
    heapBytes: heapUsed,
    externalBytes: external + arrayBuffers,
    handles: countBy(process.getActiveResourcesInfo()),
    maps: sizesOf('Map'),
    sets: sizesOf('Set'),
  }
  // Renamed into place, so that nobody reads half of it.
  writeFileSync(`${file}.part`, JSON.stringify(sample))
  renameSync(`${file}.part`, file)
})

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const LARGEST = 8
const MEASURE = `function () {
  const sizes = this.map((each) => { try { return each.size } catch { return 0 } }).sort((a, b) => b - a)
  return { count: sizes.length, entries: sizes.reduce((sum, size) => sum + size, 0), largest: sizes.slice(0, ${LARGEST}) }
}`

/** Every collection of a kind that is alive, whoever holds it: only the inspector finds them all. */
function sizesOf(kind: 'Map' | 'Set'): CollectionSizes {
  const session = new Session()
  session.connect()
  const prototype = ask<{ result: Remote }>(session, 'Runtime.evaluate', { expression: `${kind}.prototype` })
  const prototypeObjectId = prototype.result.objectId
  const { objects } = ask<{ objects: Remote }>(session, 'Runtime.queryObjects', { prototypeObjectId })
  const call = { objectId: objects.objectId, functionDeclaration: MEASURE, returnByValue: true }
  const { result } = ask<{ result: { value: CollectionSizes } }>(session, 'Runtime.callFunctionOn', call)
  session.disconnect()
  return result.value
}

interface Remote {
  readonly objectId: string
}

/** A session with its own thread answers at once, before `post` returns. */
function ask<Answer>(session: Session, method: string, parameters: object): Answer {
  let answer: unknown
  session.post(method, parameters, (error, value) => {
    if (error !== null) throw error
    answer = value
  })
  return answer as Answer
}
