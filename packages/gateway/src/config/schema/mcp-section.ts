import { checkHttpUrl, checkOrigin } from './address-checks.ts'
import { checked, filledList, flag, integer, list, oneOf, patterned, section, text } from './field-kinds.ts'
import { checkSharedSecret, SHORTEST_SECRET } from './formats.ts'
import { file, secret, secretFile } from './marks.ts'
import { checkPathTemplate } from './path-template.ts'

/** Where MCP is served unless the file says otherwise. */
export const MCP_PATH = '/mcp'

/** The form of a tool's name. Clients add a prefix and fail above 64 characters. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,48}$/

const checkEndpointPath = (path: string): string | undefined => {
  if (path.includes('{')) return 'must not have a parameter'
  if (path.length > 1 && path.endsWith('/')) return 'must not end with a slash'
  return path === '/' ? 'must not be the root' : checkPathTemplate(path)
}

const checkPublicUrl = (address: string): string | undefined => {
  const fault = checkHttpUrl(address)
  if (fault !== undefined) return fault
  if (address.includes('?')) return 'must not have a query'
  return address.endsWith('/') ? 'must not end with a slash' : undefined
}

const MAX_TEXT = 4096
const shownText = () => patterned(`a text of 1 to ${MAX_TEXT} characters`, /^[\s\S]{1,4096}$/)

/** The `mcp` section: the endpoint for MCP clients. */
export const mcpSection = section({
  path: checked('a path', checkEndpointPath)
    .default(MCP_PATH)
    .describe('Path of the endpoint on the main listener; no route may have it.'),
  public_url: checked('a URL', checkPublicUrl)
    .optional()
    .describe(
      'Address of the endpoint as people type it, path included: the audience that tokens must have. Required unless gateway.host is a loopback address; without it no audience is demanded beside those of the issuers.',
    ),
  name: patterned('a name (1 to 64 letters, digits, ".", "_" or "-")', /^[A-Za-z0-9._-]{1,64}$/)
    .default('agentic-gateway')
    .describe('Name of the server for clients.'),
  title: shownText().optional().describe('Name of the server for people.'),
  instructions: shownText().optional().describe('Text about the tools for the model.'),
  state_secrets: filledList(
    secret(text(`a secret of at least ${SHORTEST_SECRET} characters`, SHORTEST_SECRET)),
  )
    .optional()
    .describe(
      'Secrets of at least 32 characters that seal the state that clients carry, best taken from the environment; never shown. The first seals, all open.',
    ),
  state_secrets_files: filledList(secretFile(checkSharedSecret))
    .optional()
    .describe(
      'Files with such secrets instead, relative to this file; a newline at the end is cut. Workers and gateways behind one address need the same; absent means a random secret with each start.',
    ),
  origins: list(checked('an origin', checkOrigin))
    .default([])
    .describe(
      'Origins of further web pages that may use the endpoint; that of public_url always may. Browsers need them in gateway.cors.origins too.',
    ),
  legacy: oneOf(['sessions', 'stateless', 'off'])
    .default('sessions')
    .describe(
      'How clients of 2025 are served: with questions on their stream, without questions, or not at all.',
    ),
  hold_seconds: integer(1, 50)
    .default(25)
    .describe('How long one round of a call waits for an approval or for accepted work.'),
  approval_minutes: integer(1, 60)
    .default(4)
    .describe('After this time a pending approval is the answer of a call.'),
  max_body_bytes: integer(1024, 1_048_576)
    .default(262_144)
    .describe('Most bytes of a message of a client; gateway.limits.max_body_bytes applies too.'),
  forward_authorization: flag()
    .default(false)
    .describe(
      "Whether a call passes the client's token on to routes with forwardAuthorization; MCP forbids it.",
    ),
  list_ttl_seconds: integer(0, 86_400).default(300).describe('How long clients may keep the list of tools.'),
})

/** The values of a tool's `input` that are no file names. */
const NO_INPUT_FILE: readonly string[] = ['openapi', 'none']

/** Whether the `input` of a tool is the name of a file. */
export const isInputFile = (input: string): boolean => !NO_INPUT_FILE.includes(input)

/** The `mcp` section of a route. */
export const routeMcpSection = section({
  name: patterned('a tool name (1 to 48 letters, digits, "_" or "-")', TOOL_NAME)
    .optional()
    .describe('Name of the tool; absent means the route id with "-" for other characters.'),
  title: shownText().optional().describe('Name of the tool for people.'),
  description: shownText()
    .optional()
    .describe('Text about the tool for the model; absent means summary and description of the operation.'),
  input: file({ phrase: 'openapi, none or a file name', words: NO_INPUT_FILE })
    .default('openapi')
    .describe(
      "Where the tool's arguments come from: openapi is the document of the service, none has path parameters and anything else, otherwise a file with a JSON Schema, relative to this file.",
    ),
  stream: oneOf(['off', 'events'])
    .optional()
    .describe(
      'Whether events are sent as progress; absent means events for a route with mode sse whose operation says in its document that it streams.',
    ),
  idempotencyArgument: flag().default(false).describe('Whether the tool has the argument idempotencyKey.'),
})
