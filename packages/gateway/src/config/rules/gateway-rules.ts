import { isPresent, type Rule, textAt, valueAt } from './draft.ts'

const authoritiesNeedTls: Rule = ({ value }) => {
  const path = ['gateway', 'shared', 'ca_file']
  const address = textAt(value, ['gateway', 'shared', 'redis_url'])
  const plain = address !== undefined && !/^rediss:/i.test(address)
  return plain && isPresent(value, path)
    ? [{ path, message: 'needs a redis_url that starts with rediss://' }]
    : []
}

const CONNECTIONS = ['gateway', 'limits', 'max_upstream_connections_per_origin'] as const

/** Connections to an origin are divided among the workers, and one without any could serve nobody. */
const everyWorkerHasAConnection: Rule = ({ value }) => {
  const path = ['gateway', 'workers']
  const [workers, connections] = [valueAt(value, path), valueAt(value, CONNECTIONS)]
  if (typeof workers !== 'number' || typeof connections !== 'number' || workers <= connections) return []
  return [{ path, message: `needs ${CONNECTIONS.join('.')} to be at least as many` }]
}

/** Rules that tie keys of the section `gateway` to each other. */
export const gatewayRules: readonly Rule[] = [authoritiesNeedTls, everyWorkerHasAConnection]
