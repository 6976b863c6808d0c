import { parseJson } from '@agentic-rest/profile'
import { type Fields, fieldsOf } from '../api/read-json.ts'
import type { Draft } from './draft.ts'
import { isSame, schemaFault } from './schema-fault.ts'
import type { InputField } from './service-operation.ts'

/** The members of a body that is a JSON object; undefined for any other text. An empty body has none. */
export function bodyMembers(body: string): Fields | undefined {
  if (body.trim() === '') return new Map()
  const { value } = parseJson(body)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? fieldsOf(value) : undefined
}

/** The text of a field in the form. The form has one truth: parameters, query, headers and the text of the body. */
export function entryOf(draft: Draft, field: InputField): string {
  switch (field.location) {
    case 'path':
      return draft.params.get(field.name) ?? ''
    case 'header':
      return draft.headers.get(field.name) ?? ''
    case 'query':
      return new URLSearchParams(draft.query).getAll(field.name).join('\n')
    case 'body':
      return memberText(field, bodyMembers(draft.body)?.get(field.name))
  }
}

function memberText(field: InputField, value: unknown): string {
  if (value === undefined) return ''
  if (field.kind === 'choice') return choiceText(field, value)
  if (typeof value === 'string') return value
  return field.kind === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value)
}

/** A choice is the position of its value, so that numbers and objects keep their type; JSON for a value that is not listed. */
function choiceText({ choices }: InputField, value: unknown): string {
  const index = choices.findIndex((each) => isSame(each, value))
  return index < 0 ? JSON.stringify(value) : `#${index}`
}

/** The entries to choose from, with their words. */
export function choiceEntries({ choices, location }: InputField): { text: string; words: string }[] {
  return choices.map((choice, index) => {
    const words = typeof choice === 'string' ? choice : (JSON.stringify(choice) ?? '')
    return { words, text: location === 'body' ? `#${index}` : words }
  })
}

/** The draft with another text in a field. An empty text leaves the input out. */
export function withEntry(draft: Draft, field: InputField, text: string): Draft {
  const { name } = field
  switch (field.location) {
    case 'path':
      return { ...draft, params: new Map([...draft.params, [name, text]]) }
    case 'header':
      return { ...draft, headers: new Map([...draft.headers, [name, text]]) }
    case 'query':
      return { ...draft, query: withQuery(draft.query, name, text) }
    case 'body':
      return { ...draft, body: withMember(draft.body, name, readEntry(field, text)) }
  }
}

function withQuery(query: string, name: string, text: string): string {
  const search = new URLSearchParams(query)
  search.delete(name)
  for (const value of text.split('\n')) if (value !== '') search.append(name, value)
  return String(search)
}

function withMember(body: string, name: string, value: unknown): string {
  const members = new Map(bodyMembers(body))
  if (value === undefined) members.delete(name)
  else members.set(name, value)
  return JSON.stringify(Object.fromEntries(members), null, 2)
}

/** The value of an entry. A text that does not fit stays a text, and `entryFault` says so. */
export function readEntry(field: InputField, text: string): unknown {
  if (text === '') return undefined
  switch (field.kind) {
    case 'text':
      return text
    case 'choice':
      return text.startsWith('#') ? field.choices[Number(text.slice(1))] : parseJson(text).value
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'integer':
    case 'number':
      return text.trim() === '' || !Number.isFinite(Number(text)) ? text : Number(text)
    case 'lines':
      return text.split('\n').filter((line) => line !== '')
    case 'json':
      return parseJson(text).value ?? text
  }
}

/** Why the entry of a field does not fit. An absent input is none: the service asks for it. */
export function entryFault(document: Fields, field: InputField, text: string): string | undefined {
  const isListed = field.location === 'body' || field.kind !== 'choice'
  const value = isListed ? readEntry(field, text) : text
  if (value === undefined) return undefined
  if (field.kind === 'json' && typeof value === 'string') return notJson(text)
  return isListed ? schemaFault(document, field.schema, value) : undefined
}

/** Whether a field has a text that cannot be sent as its value: JSON that does not parse. */
export function isUnreadable(field: InputField, text: string): boolean {
  return field.kind === 'json' && field.location === 'body' && typeof readEntry(field, text) === 'string'
}

function notJson(text: string): string {
  const { fault } = parseJson(text)
  return fault ? `This is not JSON: ${fault.message}` : 'This has to be a list or an object, not a text.'
}
