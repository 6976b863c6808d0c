import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml'

/** A route to write; the keys in this order. */
export interface NewRoute {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly target: string
  readonly executionTimeoutSeconds: number
  readonly mode?: 'sse'
  readonly conformance?: 'enforce'
  readonly forwardAuthorization: false
}

/** A route with the remark above it. */
export interface RemarkedRoute {
  readonly route: NewRoute
  readonly remark: string | undefined
}

/**
 * Adds routes to the end of the list `routes` of a valid configuration. All other text stays as it is: the document model
 * only finds the place.
 */
export function addRoutes(text: string, added: readonly RemarkedRoute[]): string {
  const { contents } = parseDocument(text, { logLevel: 'silent' })
  const pair = isMap(contents) ? contents.items.find(isRoutes) : undefined
  if (!isMap(contents) || !isSeq(pair?.value)) throw new Error('the configuration has no list of routes')
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const list = pair.value
  if (list.flow !== true) return addToBlock(text, list, { added, end })
  // A list such as [] in a block map becomes a block itself.
  if (list.items.length === 0 && contents.flow !== true) return replaceEmpty(text, list, { added, end })
  return addToFlow(text, list, added)
}

/** The texts of the targets in the file, such as `http://127.0.0.1:${SERVICE_PORT:-8081}`, in the order of the routes. */
export function targetTexts(text: string): (string | undefined)[] {
  const { contents } = parseDocument(text, { logLevel: 'silent' })
  const list = isMap(contents) ? contents.items.find(isRoutes)?.value : undefined
  if (!isSeq(list)) return []
  return list.items.map((item) => {
    const target = isMap(item) ? item.get('target') : undefined
    return typeof target === 'string' ? target : undefined
  })
}

function isRoutes({ key }: Pair): boolean {
  return isScalar(key) && key.value === 'routes'
}

interface Addition {
  readonly added: readonly RemarkedRoute[]
  /** The line end of the file. */
  readonly end: string
}

type RangedNode = Pick<YAMLSeq | YAMLMap, 'range'>

function addToBlock(text: string, list: YAMLSeq, { added, end }: Addition): string {
  const [start = 0] = list.range ?? []
  const column = start - lineStart(text, start)
  const last = list.items.at(-1) as RangedNode | undefined
  const place = endOfItem(text, last?.range?.[1] ?? start, column)
  return `${text.slice(0, place)}${blockText(added, { column, end })}${text.slice(place)}`
}

/** The end of the last line of an item: comments further right than the dash are part of it. */
function endOfItem(text: string, valueEnd: number, column: number): number {
  const used = text.slice(0, valueEnd).trimEnd().length
  let place = lineEnd(text, used)
  for (;;) {
    const next = /^(?:\r?\n[ \t]*)*\r?\n([ \t]+)#[^\r\n]*/.exec(text.slice(place))
    if (next === null || (next[1]?.length ?? 0) <= column) return place
    place += next[0].length
  }
}

function replaceEmpty(text: string, list: YAMLSeq, { added, end }: Addition): string {
  const [start = 0, close = start] = list.range ?? []
  // A comment after the brackets stays on the line of the key.
  const place = lineEnd(text, close)
  const head = `${text.slice(0, start).trimEnd()}${text.slice(close, place).trimEnd()}`
  return `${head}${blockText(added, { column: 2, end })}${text.slice(place)}`
}

/** Each route on lines of its own, each after a line end. */
function blockText(
  added: readonly RemarkedRoute[],
  { column, end }: { readonly column: number; readonly end: string },
): string {
  const indent = ' '.repeat(column)
  return added
    .flatMap(({ route, remark }) => [
      ...(remark === undefined ? [] : [`# ${remark.replaceAll(/[\s\p{C}]+/gu, ' ')}`]),
      ...stringify([route], { lineWidth: 0 }).trimEnd().split('\n'),
    ])
    .map((line) => `${end}${indent}${line}`)
    .join('')
}

function addToFlow(text: string, list: YAMLSeq, added: readonly RemarkedRoute[]): string {
  const [start = 0] = list.range ?? []
  const last = list.items.at(-1) as RangedNode | undefined
  const routes = added.map(({ route }) =>
    stringify(route, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd(),
  )
  const place = last?.range?.[1] ?? start + 1
  return `${text.slice(0, place)}${last === undefined ? '' : ', '}${routes.join(', ')}${text.slice(place)}`
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

function lineEnd(text: string, offset: number): number {
  const found = text.slice(offset).search(/\r?\n/)
  return found === -1 ? text.length : offset + found
}

const CONTEXT = 3

/** The lines that differ as one hunk of a unified diff, with the lines around them. */
export function unifiedDiff(file: string, before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.replace(/\r?\n$/, '').split(/\r?\n/)) as [
    string[],
    string[],
  ]
  const first = now.findIndex((line, index) => line !== old[index])
  if (first === -1) return ''
  let same = 0
  while (same < old.length - first && old.at(-1 - same) === now.at(-1 - same)) same += 1
  const from = Math.max(0, first - CONTEXT)
  const behind = Math.min(same, CONTEXT)
  const [oldEnd, nowEnd] = [old.length - same, now.length - same]
  const lines = [
    ...old.slice(from, first).map((line) => ` ${line}`),
    ...old.slice(first, oldEnd).map((line) => `-${line}`),
    ...now.slice(first, nowEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + behind).map((line) => ` ${line}`),
  ]
  const place = (end: number) => `${from + 1},${end + behind - from}`
  return [`--- ${file}`, `+++ ${file}`, `@@ -${place(oldEnd)} +${place(nowEnd)} @@`, ...lines, ''].join('\n')
}
