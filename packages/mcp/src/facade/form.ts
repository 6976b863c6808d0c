import {
  type ClarificationBody,
  headerKeys,
  inputLocations,
  inputTypes,
  isObject,
  type JsonObject,
  type RequiredInput,
} from '@agentic-rest/profile'
import { isOwnedHeader } from '../catalogue/read-tool.ts'
import type { InputRequest } from '../protocol/tool-host.ts'
import type { ProtocolVersion } from '../protocol/versions.ts'

/** The key of the form among the input requests. */
export const FORM_KEY = 'inputs'

/** MCP forbids forms that ask for credentials. */
const sensitive = ['password', 'secret', 'token', 'api_key', headerKeys.authorization, 'card']

/** The clarification of a body; undefined if a form cannot be made of it. */
export function readClarification(body: unknown): ClarificationBody | undefined {
  if (!isObject(body) || body['type'] !== 'clarification_required' || typeof body['message'] !== 'string')
    return undefined
  const inputs = body['requiredInputs']
  const isComplete = Array.isArray(inputs) && inputs.length > 0 && inputs.every(isRequiredInput)
  return isComplete ? (body as unknown as ClarificationBody) : undefined
}

function isRequiredInput(value: unknown): value is RequiredInput {
  if (!isObject(value)) return false
  const { name, location, type, question, allowedValues } = value
  return (
    typeof name === 'string' &&
    typeof question === 'string' &&
    inputLocations.some((each) => each === location) &&
    inputTypes.some((each) => each === type) &&
    (allowedValues === undefined || Array.isArray(allowedValues))
  )
}

/** The form for a clarification; undefined if one of its inputs cannot be asked for by a form. */
export function formOf(clarification: ClarificationBody, version: ProtocolVersion): InputRequest | undefined {
  const { requiredInputs } = clarification
  const names = new Set(requiredInputs.map(({ name }) => name))
  // Two inputs of one name, such as one in the path and one in the body, would be one field.
  if (names.size < requiredInputs.length || names.has('__proto__')) return undefined
  const fields = requiredInputs.map((input) => [input.name, fieldOf(input, version)] as const)
  if (fields.some(([, field]) => field === undefined)) return undefined
  const required = requiredInputs.filter((input) => input.required).map(({ name }) => name)
  return {
    method: 'elicitation/create',
    params: {
      // 2025-06-18 knows forms only and has no member for the mode.
      ...(version !== '2025-06-18' && { mode: 'form' }),
      message: `The operation needs more input: ${[...names].join(', ')}.`,
      requestedSchema: { type: 'object', required, properties: Object.fromEntries(fields) },
    },
  }
}

function fieldOf(input: RequiredInput, version: ProtocolVersion): JsonObject | undefined {
  const { name, location, question } = input
  const lower = name.toLowerCase()
  if (sensitive.some((word) => lower.includes(word) || lower.replaceAll('-', '_').includes(word)))
    return undefined
  if (location === 'header' && isOwnedHeader(name)) return undefined
  const schema = schemaOf(input, version)
  return schema && { ...schema, title: name, description: question }
}

function schemaOf({ type, allowedValues }: RequiredInput, version: ProtocolVersion): JsonObject | undefined {
  const texts = allowedValues?.map(String)
  switch (type) {
    case 'string':
      return { type, ...(texts && { enum: texts }) }
    case 'integer':
      return texts === undefined ? { type } : { type: 'string', enum: texts }
    case 'boolean':
      return { type }
    case 'array':
      if (texts === undefined || version === '2025-06-18') return undefined
      return { type, items: { type: 'string', enum: texts } }
    case 'object':
      return undefined
  }
}

/** One answer of a form and its place in the request. */
export interface InputAnswer {
  readonly location: RequiredInput['location']
  readonly name: string
  readonly value: unknown
}

/** The answers of an accepted form. Values that the form does not have are ignored. */
export function answersOf({ requiredInputs }: ClarificationBody, content: JsonObject): InputAnswer[] {
  return requiredInputs.flatMap(({ name, location, type, allowedValues }) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    if (value === undefined) return []
    // Integers with given values were offered as texts.
    const isChosen = type === 'integer' && allowedValues !== undefined && typeof value === 'string'
    return [{ location, name, value: isChosen && /^-?\d+$/.test(value) ? Number(value) : value }]
  })
}
