import { didYouMean } from './did-you-mean.ts'
import {
  type Draft,
  entriesAt,
  exactlyOneOf,
  findRepeats,
  isMap,
  isPresent,
  type Rule,
  type RuleFinding,
  textAt,
  valueAt,
} from './draft.ts'
import type { Path } from './faults.ts'

const routesOf = ({ value }: Draft) => entriesAt(value, ['routes'])

const upstreamsOf = ({ value }: Draft): readonly Path[] => {
  const upstreams = valueAt(value, ['upstreams'])
  return isMap(upstreams) ? Object.keys(upstreams as object).map((name) => ['upstreams', name]) : []
}

const TLS_FILES = ['ca_file', 'client_cert_file', 'client_key_file']

/** A route leads to one address or to one upstream. */
const targetOrUpstream: Rule = (draft) =>
  routesOf(draft).flatMap((route): readonly RuleFinding[] => {
    const [target, upstream] = [
      [...route, 'target'],
      [...route, 'upstream'],
    ]
    if (!isMap(valueAt(draft.value, route))) return []
    if (isPresent(draft.value, target) || isPresent(draft.value, upstream))
      return exactlyOneOf(draft, route, ['target', 'upstream'])
    return [{ path: target, message: 'is required, or upstream', absence: true }]
  })

const upstreamIsKnown: Rule = (draft) => {
  const known = upstreamsOf(draft).map((path) => String(path.at(-1)))
  return routesOf(draft)
    .map((route) => [...route, 'upstream'])
    .flatMap((path) => {
      const name = textAt(draft.value, path)
      if (name === undefined || known.includes(name)) return []
      return [{ path, message: `is none of upstreams${didYouMean(name, known)}`, absence: true }]
    })
}

const targetsOrDns: Rule = (draft) =>
  upstreamsOf(draft).flatMap((upstream) => exactlyOneOf(draft, upstream, ['targets', 'dns']))

/** The address of an entry of `targets`, in either of its forms. */
const urlAt = (draft: Draft, target: Path): string | undefined =>
  textAt(draft.value, target) ?? textAt(draft.value, [...target, 'url'])

/** Two entries for one server would count it twice, for its share and for the part that may be out. */
const targetOnce: Rule = (draft) =>
  upstreamsOf(draft).flatMap((upstream) => {
    const targets = entriesAt(draft.value, [...upstream, 'targets'])
    const identity = (target: Path) => urlAt(draft, target)?.toLowerCase().replace(/\/+$/, '')
    return findRepeats(targets, identity).map(({ entry, first }) => ({
      path: entry,
      message: `duplicate target, first used on line ${draft.lineOf(first)}; use weight for a larger share`,
    }))
  })

/** Whether every address is one of https; faulty ones have a fault of their own. */
const isHttps = (draft: Draft, upstream: Path): boolean => {
  if (isPresent(draft.value, [...upstream, 'dns']))
    return textAt(draft.value, [...upstream, 'dns', 'scheme']) === 'https'
  const urls = entriesAt(draft.value, [...upstream, 'targets']).map((target) => urlAt(draft, target))
  return urls.every((url) => url === undefined || /^https:/i.test(url))
}

const tlsFilesAt = (draft: Draft, entry: Path, message: string): readonly RuleFinding[] =>
  TLS_FILES.map((key) => [...entry, key])
    .filter((path) => isPresent(draft.value, path))
    .map((path) => ({ path, message }))

const tlsFilesNeedHttps: Rule = (draft) => [
  ...routesOf(draft).flatMap((route) => {
    if (isPresent(draft.value, [...route, 'upstream']))
      return tlsFilesAt(draft, route, 'belongs into the upstream of this route')
    const target = textAt(draft.value, [...route, 'target'])
    if (target === undefined || /^https:/i.test(target)) return []
    return tlsFilesAt(draft, route, 'needs a target that starts with https://')
  }),
  ...upstreamsOf(draft).flatMap((upstream) =>
    isHttps(draft, upstream) ? [] : tlsFilesAt(draft, upstream, 'needs https for every target'),
  ),
]

const clientCertificateHasKey: Rule = (draft) =>
  [...routesOf(draft), ...upstreamsOf(draft)].flatMap((entry) => {
    const pair = ['client_cert_file', 'client_key_file']
    const [given, ...more] = pair.filter((key) => isPresent(draft.value, [...entry, key]))
    if (given === undefined || more.length > 0) return []
    const missing = pair.find((key) => key !== given)
    return [{ path: [...entry, given], message: `needs ${missing} beside it`, absence: true }]
  })

/** The rules about where requests go. */
export const targetRules: readonly Rule[] = [
  targetOrUpstream,
  upstreamIsKnown,
  targetsOrDns,
  targetOnce,
  tlsFilesNeedHttps,
  clientCertificateHasKey,
]
