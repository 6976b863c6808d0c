import { setTimeout as delay } from 'node:timers/promises'
import {
  createSeal,
  type HostContext,
  type InputRequest,
  systemEnvironment,
  type ToolAnswer,
  type ToolCall,
  type ToolDefinition,
  type ToolHost,
} from '../../packages/mcp/src/index.ts'
import { createFixtureTasks } from './fixture-tasks.ts'

type Json = Readonly<Record<string, unknown>>
type Tool = (call: ToolCall) => ToolAnswer | Promise<ToolAnswer>

const redPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const done = (...content: readonly Json[]): ToolAnswer => ({ type: 'result', result: { content } })
const say = (text: string): ToolAnswer => done({ type: 'text', text })
const ask = (inputRequests: Readonly<Record<string, InputRequest>>, requestState?: string): ToolAnswer => ({
  type: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
})
const form = (message: string, properties: Json, required?: readonly string[]): InputRequest => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties, required: required ?? Object.keys(properties) },
  },
})
const nameForm = form('What is your name?', { name: { type: 'string' } })
const sampling = (text: string): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 },
})
const rootsList: InputRequest = { method: 'roots/list', params: {} }

const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
const responseOf = ({ inputResponses }: ToolCall, key: string): Json | undefined =>
  objectOf(inputResponses[key])
const contentOf = (call: ToolCall, key: string): Json | undefined =>
  objectOf(responseOf(call, key)?.['content'])

/** The capabilities that a client declares in its request. */
function capabilitiesOf({ meta }: HostContext): Json {
  return objectOf(meta['io.modelcontextprotocol/clientCapabilities']) ?? {}
}

// Signed by the seal of the package, so that a changed state is refused as the facade refuses it.
const seal = createSeal({
  secrets: ['the fixture has a secret of its own!'],
  publicUrl: 'http://127.0.0.1/',
  environment: systemEnvironment,
})
const stateOf = ({ requestState }: ToolCall): unknown =>
  requestState === undefined ? undefined : seal.open('state', requestState)
const invalidState: ToolAnswer = { type: 'refused', error: { code: -32602, message: 'Invalid requestState' } }

/** A tool that asks for confirmation under a sealed state. */
function confirmed(call: ToolCall): ToolAnswer {
  if (call.requestState === undefined) {
    return ask({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, seal.seal('state', 'asked'))
  }
  return stateOf(call) === 'asked' ? say('state-ok') : invalidState
}

/** Asks once and shows the answer, in the words that the suite looks for. */
function elicited(request: InputRequest, text: (response: Json) => string): Tool {
  return (call) => {
    const response = responseOf(call, 'answer')
    return response === undefined ? ask({ answer: request }) : say(text(response))
  }
}

const completed = (response: Json) =>
  `Elicitation completed: action=${response['action']}, content=${JSON.stringify(response['content'])}`

const titled = (values: readonly string[]) =>
  values.map((value) => ({ const: value, title: `Title of ${value}` }))
const options = ['option1', 'option2', 'option3']
const values = ['value1', 'value2', 'value3']

const tools: Readonly<Record<string, Tool>> = {
  test_simple_text: () => say('This is a simple text response for testing.'),
  test_image_content: () => done({ type: 'image', data: redPixel, mimeType: 'image/png' }),
  test_audio_content: () => done({ type: 'audio', data: silence, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    done({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  test_multiple_content_types: () =>
    done(
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: redPixel, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ),
  test_error_handling: () => ({
    type: 'result',
    result: {
      content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
      isError: true,
    },
  }),
  async test_tool_with_progress({ progress }) {
    for (const step of [0, 50, 100]) {
      progress?.({ progress: step, total: 100 })
      // Wait: the tool of the conformance suite is slow on purpose.
      await delay(50)
    }
    return say('Done.')
  },
  test_elicitation: (call) =>
    elicited(
      form(String(call.arguments['message']), {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }),
      ({ action, content }) => `User response: action: ${action}, content: ${JSON.stringify(content)}`,
    )(call),
  test_sampling: (call) =>
    elicited(
      sampling(String(call.arguments['prompt'])),
      (response) => `LLM response: ${JSON.stringify(response)}`,
    )(call),
  test_elicitation_sep1034_defaults: elicited(
    form(
      'Please check the defaults.',
      {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      [],
    ),
    completed,
  ),
  test_elicitation_sep1330_enums: elicited(
    form(
      'Please choose.',
      {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled(values) },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled(values) } },
      },
      [],
    ),
    completed,
  ),
  test_missing_capability: (call) =>
    capabilitiesOf(call)['sampling'] === undefined ? missing('sampling') : say('Sampled.'),
  test_logging_tool: () => say('Logged nothing.'),
  test_streaming_elicitation: () => ask({ user_name: nameForm }),
  test_input_required_result_elicitation: (call) => {
    const name = contentOf(call, 'user_name')?.['name']
    return typeof name === 'string' ? say(`Hello, ${name}!`) : ask({ user_name: nameForm })
  },
  test_input_required_result_sampling: (call) => {
    const response = responseOf(call, 'capital_question')
    return response === undefined
      ? ask({ capital_question: sampling('What is the capital of France?') })
      : say(JSON.stringify(response['content']))
  },
  test_input_required_result_list_roots: (call) => {
    const response = responseOf(call, 'client_roots')
    return response === undefined ? ask({ client_roots: rootsList }) : say(JSON.stringify(response['roots']))
  },
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: (call) => {
    const requests = {
      user_name: nameForm,
      greeting: sampling('Generate a greeting'),
      client_roots: rootsList,
    }
    const isAnswered = Object.keys(requests).every((key) => responseOf(call, key) !== undefined)
    return isAnswered && stateOf(call) === 'asked'
      ? say('All there.')
      : ask(requests, seal.seal('state', 'asked'))
  },
  test_input_required_result_multi_round: (call) => {
    const state = stateOf(call)
    if (state === 1 && responseOf(call, 'step1') !== undefined) {
      const color = form('Step 2: What is your favorite color?', { color: { type: 'string' } })
      return ask({ step2: color }, seal.seal('state', 2))
    }
    if (state === 2 && responseOf(call, 'step2') !== undefined) return say('Done in three rounds.')
    return ask(
      { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
      seal.seal('state', 1),
    )
  },
  test_input_required_result_capabilities: (call) => {
    const declared = capabilitiesOf(call)
    return ask({
      ...(declared['elicitation'] !== undefined && { user_name: nameForm }),
      ...(declared['sampling'] !== undefined && { greeting: sampling('Generate a greeting') }),
    })
  },
  json_schema_2020_12_tool: () => say('Valid.'),
  greet: ({ arguments: given }) => say(`Hello, ${given['name']}!`),
}

/** The schemas that the suite wants to see unchanged. */
const schemas: Readonly<Record<string, ToolDefinition['inputSchema']>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

/** The refusal for a capability that a tool needs and the client does not have. */
function missing(capability: string): ToolAnswer {
  const data = { requiredCapabilities: { [capability]: {} } }
  return { type: 'refused', error: { code: -32021, message: `Missing capability: ${capability}`, data } }
}

/** The tools whose names and answers the official suite prescribes, as a host of the protocol. */
export function createFixtureHost(onToolChange: () => void): ToolHost {
  const tasks = createFixtureTasks()
  const all: Readonly<Record<string, Tool>> = {
    ...tools,
    ...tasks.tools,
    test_trigger_tool_change: () => {
      onToolChange()
      return say('The list has changed.')
    },
  }
  const definitions: readonly ToolDefinition[] = Object.keys(all).map((name) => ({
    name,
    description: `The fixture ${name}.`,
    inputSchema: schemas[name] ?? { type: 'object' },
  }))
  return {
    list: () => definitions,
    async call(call) {
      const tool = Object.hasOwn(all, call.name) ? all[call.name] : undefined
      if (tool === undefined)
        return { type: 'refused', error: { code: -32602, message: `Unknown tool: ${call.name}` } }
      return tool(call)
    },
    tasks: tasks.host,
  }
}
