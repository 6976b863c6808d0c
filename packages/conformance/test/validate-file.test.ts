import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growth, LINEAR } from '@agentic-rest/testing/cpu-ratio'
import { expect, onTestFinished, test } from 'vitest'
import { validateFile } from '../src/index.ts'

const trace = { correlationId: 'c', requestId: 'r' }
const conflict = { type: 'conflict', code: 'X', message: 'm', trace }

/** Writes a file into a new folder, and others beside it; returns its path. */
function writeFile(content: unknown, name: string, beside: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-validate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of Object.entries(beside)) writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return join(folder, name)
}

function judge(content: unknown, name = 'file.json', beside: Record<string, string> = {}) {
  const { kind, valid, faults } = validateFile(writeFile(content, name, beside))
  expect(valid).toBe(faults.length === 0)
  return [kind, ...faults.map(({ pointer, rule, message }) => `${pointer} ${rule}: ${message}`)]
}

const answers = (responses: object, components: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths: { '/a/{b}': { post: { responses } } },
  components,
})
const at = '/paths/~1a~1{b}/post/responses'
const json = (schema: object) => ({ 'application/vnd.agentic.conflict+json': { schema } })
const traced = { type: 'object', required: ['trace'] }

test.each([
  { title: 'a body', content: conflict, result: ['body'] },
  {
    title: 'a list of bodies',
    content: [conflict, { ...conflict, code: 1 }],
    result: ['body', '/1/code type: must be a string'],
  },
  {
    title: 'an empty list',
    content: [],
    result: ['body', ' minItems: must be a body or a list of at least one body'],
  },
  {
    title: 'an unknown type',
    content: { type: 'odd' },
    result: ['body', expect.stringMatching(/^\/type enum: must be one of operation_accepted, /)],
  },
  { title: 'no object', content: '7', result: ['body', ' type: must be an object'] },
  {
    title: 'no JSON',
    content: '{',
    result: ['unreadable', ' file: the file is not valid JSON (line 1, column 2)'],
  },
])('$title is judged', ({ content, result }) => {
  expect(judge(content)).toEqual(result)
})

test('YAML is read by its ending', () => {
  const text = 'type: conflict\ncode: X\nmessage: m\ntrace: { correlationId: c, requestId: "" }\n'
  expect(judge(text, 'body.yaml')).toEqual(['body', '/trace/requestId minLength: must not be empty'])
  expect(judge('a: 1\nb: [', 'body.yml')).toEqual([
    'unreadable',
    ' file: the file is not valid YAML (line 2, column 5)',
  ])
})

const bomb = Array.from({ length: 12 }, (_, level) => {
  const parts =
    level === 0
      ? 'lol'
      : Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')
  return `a${level}: &a${level} [${parts}]`
}).join('\n')

test.each([
  { text: bomb, fault: 'the aliases of the file (*name) expand to too many values' },
  { text: 'a: *nobody', fault: 'an alias of the file (*name) is not defined' },
])('$fault', ({ text, fault }) => {
  expect(judge(text, 'aliases.yaml')).toEqual(['unreadable', ` file: ${fault}`])
})

test('of many faults the first are listed, in linear time', async () => {
  const bodies = (count: number) => Array(count).fill({ ...conflict, code: 1 })
  const [kind, ...faults] = judge(bodies(20_000))
  expect(kind).toBe('body')
  expect(faults).toHaveLength(251)
  expect(faults.slice(-2)).toEqual([
    '/249/code type: must be a string',
    ' more: only the first 250 faults are listed',
  ])
  const workOf = (count: number) => {
    const file = writeFile(bodies(count), 'file.json')
    return () => validateFile(file)
  }
  expect(await growth({ workOf, size: 20_000 })).toBeLessThan(LINEAR)
})

test.each([
  { description: 'Agents. Supports Agentic Profile v0.3.', faults: 0 },
  { description: 'Supports Agentic Profile v0.3', faults: 0 },
  { description: 'Supports Agentic Profile v0.31', faults: 1 },
  { description: 'Supports Agentic Profile v0.3.1', faults: 1 },
  { description: 'Supports Agentic Profile v0.2', faults: 1 },
  { description: undefined, faults: 1 },
])('a package that says "$description" has $faults faults', ({ description, faults }) => {
  const result = judge({ name: 'n', version: '1.0.0', description }, 'package.json')
  expect(result.slice(1)).toEqual(
    faults === 0 ? [] : ['/description declaration: must contain "Supports Agentic Profile v0.3"'],
  )
})

test.each([
  {
    title: 'a valid case that fails',
    valid: true,
    body: { ...conflict, trace: undefined },
    fault: '/cases/0/body/trace required: is marked valid, and is required',
  },
  {
    title: 'an invalid case that passes',
    valid: false,
    body: conflict,
    fault: '/cases/0 fixture: is marked invalid and passes its schema',
  },
])('a fixture file with $title is refused', ({ valid, body, fault }) => {
  expect(judge({ schema: 'conflict', cases: [{ title: 't', valid, body }] })).toEqual(['fixtures', fault])
})

test.each([
  {
    title: 'the right media types',
    document: answers({
      409: { content: json(traced) },
      200: { content: { 'application/json': {}, 'text/event-stream': {} } },
    }),
    faults: [],
  },
  {
    title: 'a wrong media type',
    document: answers({ 409: { content: { 'application/json': {} } } }),
    faults: [
      `${at}/409/content/application~1json media_type: status 409 has media type application/vnd.agentic.conflict+json`,
    ],
  },
  {
    title: 'a media type of another row',
    document: answers({ 400: { content: json(traced) } }),
    faults: [
      `${at}/400/content/application~1vnd.agentic.conflict+json media_type: status 400 has media type application/vnd.agentic.clarification+json`,
    ],
  },
  {
    title: 'a typed body outside the ten that is no error',
    document: answers({ 404: { content: json(traced) } }),
    faults: [
      `${at}/404/content/application~1vnd.agentic.conflict+json media_type: status 404 has media type application/vnd.agentic.error+json`,
    ],
  },
  {
    title: 'an untyped answer outside the ten',
    document: answers({ 404: { content: { 'text/html': {} } }, default: { content: json(traced) } }),
    faults: [],
  },
  {
    title: 'a typed answer without content',
    document: answers({ 424: { description: 'd' } }),
    faults: [`${at}/424 content: status 424 has media type application/vnd.agentic.error+json`],
  },
  {
    title: 'no schema',
    document: answers({ 409: { content: { 'application/vnd.agentic.conflict+json': {} } } }),
    faults: [`${at}/409/content/application~1vnd.agentic.conflict+json schema: has no schema`],
  },
  {
    title: 'a schema without trace',
    document: answers({ 409: { content: json({ type: 'object', allOf: [{ required: ['code'] }] }) } }),
    faults: [`${at}/409/content/application~1vnd.agentic.conflict+json/schema trace: does not require trace`],
  },
  {
    title: 'a schema in parts',
    document: answers({ 409: { content: json({ allOf: [{ oneOf: [traced, traced] }] }) } }),
    faults: [],
  },
  {
    title: 'a reference that leads nowhere',
    document: answers({ 409: { content: json({ $ref: '#/components/schemas/nope' }) } }),
    faults: [`${at}/409/content/application~1vnd.agentic.conflict+json/schema/$ref reference: leads nowhere`],
  },
  {
    title: 'references in a circle',
    document: answers(
      { 409: { content: json({ $ref: '#/components/schemas/a' }) } },
      { schemas: { a: { $ref: '#/components/schemas/a' } } },
    ),
    faults: [
      '/components/schemas/a/$ref reference: leads nowhere',
      `${at}/409/content/application~1vnd.agentic.conflict+json/schema/$ref reference: leads nowhere`,
    ],
  },
  {
    title: 'a published schema by its identifier',
    document: answers({ 409: { content: json({ $ref: 'urn:agentic-rest:profile:v0.3:conflict' }) } }),
    faults: [],
  },
  {
    title: 'an example that is no body',
    document: answers({
      409: {
        content: {
          'application/vnd.agentic.conflict+json': {
            schema: traced,
            examples: { one: { value: { ...conflict, code: 1 } } },
          },
        },
      },
    }),
    faults: [
      `${at}/409/content/application~1vnd.agentic.conflict+json/examples/one/value/code type: must be a string`,
    ],
  },
  {
    title: 'another version',
    document: { swagger: '2.0', paths: {} },
    faults: ['/openapi version: must be an OpenAPI version 3'],
  },
])('an OpenAPI document with $title is judged', ({ document, faults }) => {
  expect(judge(document)).toEqual(['openapi', ...faults])
})

test('references to files beside the document are followed, and nothing is fetched', () => {
  const document = answers({
    409: { content: json({ $ref: 'shared.yaml#/traced' }) },
    424: { $ref: 'http://127.0.0.1:9/x' },
  })
  const faults = judge(document, 'api.json', { 'shared.yaml': 'traced: { required: [trace] }' })
  expect(faults).toEqual(['openapi', `${at}/424/$ref reference: leads nowhere`])
})

test('the documents of this repository are valid', () => {
  const profile = join(import.meta.dirname, '../../profile')
  for (const file of [
    'package.json',
    'openapi/v0.3.json',
    'fixtures/v0.3/error.json',
    'fixtures/v0.3/clarification.json',
  ])
    expect(validateFile(join(profile, file))).toMatchObject({ valid: true, faults: [] })
  expect(validateFile(join(profile, 'fixtures/v0.1/conflict.json'), { version: 'v0.1' }).valid).toBe(true)
})

test.each([
  ['nowhere.json', 'there is no such file'],
  [import.meta.dirname, 'this is a folder, not a file'],
  ['/dev/zero', expect.any(String)],
])('%s is a fault and not an exception', (file, message) => {
  expect(validateFile(file)).toMatchObject({ kind: 'unreadable', valid: false, faults: [{ message }] })
})
