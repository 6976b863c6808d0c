import type { RouteConfig } from './config-schema.ts'
import { parameterName, pathSegments } from './schema/path-template.ts'

// Words that say "do something" and leave to the body what.
const VERBS = new Set([
  'ask',
  'call',
  'chat',
  'dispatch',
  'exec',
  'execute',
  'invocation',
  'invocations',
  'invoke',
  'perform',
  'prompt',
  'rpc',
  'run',
])
// Things that the caller would name to choose what is done.
const DOER = /^(?:action|agent|capability|command|function|intent|method|operation|skill|tool)(?:_?name)?$/i

/**
 * Whether a route is a generic invoke endpoint in disguise (What the service does: "never as a generic invoke
 * endpoint"): what its POST does is chosen by the body, or by a parameter, and not by the resource.
 */
export const isGenericInvoke = ({ method, path }: Pick<RouteConfig, 'method' | 'path'>): boolean => {
  if (method !== 'POST') return false
  const last = pathSegments(path).at(-1)
  if (last === undefined) return true
  const parameter = parameterName(last)
  if (parameter !== undefined) return DOER.test(parameter)
  // A custom method is written behind a colon: /agents:invoke.
  const word = last.slice(last.lastIndexOf(':') + 1)
  return VERBS.has(word.toLowerCase()) || DOER.test(word)
}
