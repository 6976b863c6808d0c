import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import type { CollectionSizes, MemorySample } from './memory-sample.ts'

/**
 * Loaded into a gateway with `--import`: at SIGUSR2 it collects garbage and writes a memory sample. It is no part of the
 * product.
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
  // Renamed when complete, so that no half file is read.
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

/** All live collections of a kind: only the inspector finds them. */
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

/** A session with its own thread answers before `post` returns. */
function ask<Answer>(session: Session, method: string, parameters: object): Answer {
  let answer: unknown
  session.post(method, parameters, (error, value) => {
    if (error !== null) throw error
    answer = value
  })
  return answer as Answer
}
