import type { RouteConfig } from './config-schema.ts'
import { parameterName, pathSegments } from './schema/path-template.ts'

// Words that say "do something", and nothing else.
const ACTS = new Set(['ask', 'dispatch', 'exec', 'execute', 'invoke', 'perform'])
// Words that say it of a POST; something that is replaced or read can be called like this.
const ACTS_OF_POST = new Set([...ACTS, 'call', 'chat', 'invocation', 'invocations', 'prompt', 'rpc', 'run'])
// Things that the caller would name to choose what is done.
const DOER = /^(?:action|agent|capability|command|function|intent|method|operation|skill|tool)(?:_?name)?$/i
const DOERS = /^(?:actions|agents|capabilities|commands|functions|intents|methods|operations|skills|tools)$/i
const ID = /id$/i

/**
 * Whether a route is a generic invoke endpoint in disguise (What the service does: "never as a generic invoke
 * endpoint"): what is done is chosen by the body, or by a parameter, and not by the resource.
 */
export const isGenericInvoke = ({ method, path }: Pick<RouteConfig, 'method' | 'path'>): boolean => {
  const [last, before = ''] = pathSegments(path).toReversed()
  if (last === undefined) return method === 'POST'
  if (method === 'POST') return isChosenInPost(last, before)
  if (method !== 'PUT' && method !== 'PATCH') return false
  // Replacing or changing the agent of a name is an operation of a resource: only the verb gives it away.
  return ACTS.has(wordOf(parameterName(last) === undefined ? last : before))
}

const isChosenInPost = (last: string, before: string): boolean => {
  const parameter = parameterName(last)
  if (parameter === undefined) return ACTS_OF_POST.has(wordOf(last)) || DOER.test(wordOf(last))
  if (DOER.test(parameter) || ACTS.has(wordOf(before))) return true
  // A post to /agents/{agentId} goes to one that is there; /agents/{name} and /run/{what} choose one.
  return !ID.test(parameter) && (ACTS_OF_POST.has(wordOf(before)) || DOERS.test(wordOf(before)))
}

/** A custom method is written behind a colon: /agents:invoke. */
const wordOf = (segment: string): string => segment.slice(segment.lastIndexOf(':') + 1).toLowerCase()
