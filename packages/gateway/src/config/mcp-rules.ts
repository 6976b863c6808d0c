import {
  type Draft,
  entriesAt,
  findRepeats,
  isMap,
  isPresent,
  type Rule,
  type RuleFinding,
  textAt,
  valueAt,
} from './draft.ts'
import type { Path } from './faults.ts'
import { isLoopback } from './schema/address-checks.ts'
import { MCP_PATH, TOOL_NAME } from './schema/mcp-section.ts'
import { checkPathTemplate, pathShape } from './schema/path-template.ts'

const MCP: Path = ['mcp']
const PUBLIC_URL: Path = [...MCP, 'public_url']

/** The name of a route's tool: the one of its section, or the route id with `-` for other characters. */
export const toolNameOf = (id: string, name: string | undefined): string =>
  name ?? id.replaceAll(/[^A-Za-z0-9_-]/g, '-')

const toolsOf = ({ value }: Draft): readonly Path[] =>
  entriesAt(value, ['routes']).filter((route) => isPresent(value, [...route, 'mcp']))

const nameAt = ({ value }: Draft, route: Path): string | undefined => {
  const id = textAt(value, [...route, 'id'])
  return id === undefined ? undefined : toolNameOf(id, textAt(value, [...route, 'mcp', 'name']))
}

/** The key that decides the name of a tool. */
const nameKey = ({ value }: Draft, route: Path): Path =>
  isPresent(value, [...route, 'mcp', 'name']) ? [...route, 'mcp', 'name'] : [...route, 'id']

const toolsNeedTheirSection: Rule = (draft) =>
  isPresent(draft.value, MCP)
    ? []
    : toolsOf(draft).map((route) => ({
        path: [...route, 'mcp'],
        message: 'needs the section mcp, without which there is no endpoint',
        absence: true,
      }))

const uniqueToolNames: Rule = (draft) =>
  findRepeats(toolsOf(draft), (route) => nameAt(draft, route)).map(({ entry, first }) => ({
    path: nameKey(draft, entry),
    message: `makes the same tool name as the route on line ${draft.lineOf(first)}`,
  }))

/** The schema judges a given name; this rule judges a name that comes from the id. */
const shortToolNames: Rule = (draft) =>
  toolsOf(draft)
    .filter((route) => !isPresent(draft.value, [...route, 'mcp', 'name']))
    .filter((route) => !TOOL_NAME.test(nameAt(draft, route) ?? 'none'))
    .map((route) => ({
      path: [...route, 'id'],
      message: 'is too long for the name of a tool, which has at most 48 characters; set mcp.name',
    }))

/** State that one process sealed comes back to another one. */
const sharedSecrets: Rule = ({ value }) => {
  if (!isMap(valueAt(value, MCP))) return []
  const workers = valueAt(value, ['gateway', 'workers'])
  const several = (typeof workers === 'number' && workers > 1) || isPresent(value, ['gateway', 'shared'])
  const given = ['state_secrets', 'state_secrets_files'].some((key) => isPresent(value, [...MCP, key]))
  if (!several || given) return []
  const message = 'needs state_secrets or state_secrets_files, because several processes open the same state'
  return [{ path: MCP, message, absence: true }]
}

const publicUrlBeyondLoopback: Rule = ({ value }) => {
  const host = textAt(value, ['gateway', 'host'])
  if (!isMap(valueAt(value, MCP)) || isPresent(value, PUBLIC_URL)) return []
  if (host === undefined || isLoopback(host)) return []
  return [
    { path: PUBLIC_URL, message: 'is required unless gateway.host is a loopback address', absence: true },
  ]
}

/** A token for another service must not be good here (MCP, authorization). */
const someAudience: Rule = ({ value }) => {
  const publicUrl = textAt(value, PUBLIC_URL)
  const validator: Path = ['plugins', 'token-validator']
  const issuers = entriesAt(value, [...validator, 'issuers'])
  if (publicUrl === undefined || textAt(value, [...validator, 'mode']) === 'off' || issuers.length === 0)
    return []
  const isNamed = issuers
    .flatMap((issuer) => entriesAt(value, [...issuer, 'audience']))
    .some((path) => textAt(value, path) === publicUrl)
  if (isNamed) return []
  const message = 'is in the audience of no issuer, so that no token would be good for it'
  return [{ path: PUBLIC_URL, message, absence: true }]
}

// RFC 9728: the address of the endpoint's metadata begins so.
const METADATA = '/.well-known/oauth-protected-resource'

/** A route with the path of the endpoint, or of its metadata, would never get a request. */
const endpointIsNoRoute: Rule = (draft) => {
  const { value } = draft
  if (!isMap(valueAt(value, MCP))) return []
  const own = textAt(value, [...MCP, 'path']) ?? MCP_PATH
  const shown = URL.parse(textAt(value, PUBLIC_URL) ?? '')?.pathname ?? own
  const reserved = new Map([
    [METADATA, 'is reserved: the metadata of mcp are there'],
    [pathShape(METADATA + shown), 'is reserved: the metadata of mcp are there'],
    [pathShape(own), 'is reserved: it is the path of mcp'],
  ])
  return entriesAt(value, ['routes']).flatMap((route): RuleFinding[] => {
    const path = textAt(value, [...route, 'path'])
    if (path === undefined || checkPathTemplate(path) !== undefined) return []
    const message = reserved.get(pathShape(path))
    return message === undefined ? [] : [{ path: [...route, 'path'], message }]
  })
}

/** The rules of the sections `mcp` and `routes[].mcp`. */
export const mcpRules: readonly Rule[] = [
  toolsNeedTheirSection,
  uniqueToolNames,
  shortToolNames,
  sharedSecrets,
  publicUrlBeyondLoopback,
  someAudience,
  endpointIsNoRoute,
]
