import type { OpenApi } from './openapi.ts'
import type { PlannedInput, PlannedOperation } from './plan-operations.ts'
import { keySource, valueSource, zodSource } from './zod-source.ts'

/** The operation of `exampleSource`, for the other generated files. */
export const exampleOperation: PlannedOperation = {
  id: 'create-summary',
  method: 'POST',
  path: '/notes/{noteId}/summaries',
  summary: 'Shortens a note.',
  outcome: 'created',
  streams: false,
  inputs: [
    { name: 'noteId', location: 'path', required: true, question: undefined, schema: { example: 'n-1' } },
    {
      name: 'text',
      location: 'body',
      required: true,
      question: 'Which text is to be shortened?',
      schema: { example: 'Tea is ready. Bring a cup.' },
    },
    {
      name: 'length',
      location: 'body',
      required: true,
      question: 'How long may the summary be?',
      schema: { enum: ['short', 'long'] },
    },
  ],
}

/** The source of the operations without an OpenAPI document: one example, which needs no network. */
export const exampleSource = `import { created, defineOperation } from '@agentic-rest/service'
import { z } from 'zod'

const createSummary = defineOperation({
  id: 'create-summary',
  method: 'POST',
  path: '/notes/{noteId}/summaries',
  summary: 'Shortens a note.',
  // All inputs in one object: noteId is in the path, the others are in the body. A missing required input is asked for
  // with its description (clarification_required). An invalid input is refused (validation_failed).
  input: z.object({
    noteId: z.string(),
    text: z.string().min(1).describe('Which text is to be shortened?'),
    length: z.enum(['short', 'long']).describe('How long may the summary be?'),
  }),
  outcomes: ['created'],
  run: ({ input: { noteId, text, length } }) =>
    created({ id: \`\${noteId}-\${length}\`, noteId, length, summary: shorten(text, length) }),
})

/** All operations of this service. */
export const operations = [createSummary]

// Put your agent here. It can call a model, a database, or other agents with \`call\`.
function shorten(text: string, length: 'short' | 'long'): string {
  const sentences = text.split(/(?<=[.!?])\\s+/)
  return sentences.slice(0, length === 'short' ? 1 : 3).join(' ')
}
`

/** The source of the operations of an OpenAPI document. */
export function operationsSource(operations: readonly PlannedOperation[], api: OpenApi): string {
  const makers = new Set(operations.map(({ outcome }) => outcome))
  const names = namesFor(operations)
  const parts = operations.map((operation, index) => operationSource(operation, names[index] ?? '', api))
  const usesInputs = operations.some(({ inputs }) => inputs.length > 0)
  return `import { ${[...makers, 'defineOperation'].toSorted().join(', ')} } from '@agentic-rest/service'
${usesInputs ? "import { z } from 'zod'\n" : ''}
// Each operation returns its inputs. Put your agents here instead.

${parts.join('\n')}
/** All operations of this service. */
export const operations = [${names.join(', ')}]
`
}

// Names used in the file, and reserved words of the language.
const taken = [
  'created success defineOperation operations z',
  'await break case catch class const continue debugger default delete do else enum export extends false finally for',
  'function if implements import in instanceof interface let new null package private protected public return static',
  'super switch this throw true try typeof var void while with yield arguments eval undefined',
].flatMap((line) => line.split(' '))

/** A unique name for each operation. */
function namesFor(operations: readonly PlannedOperation[]): string[] {
  const names = new Set(taken)
  return operations.map(({ id }) => {
    const base = camelCase(id)
    let name = names.has(base) ? `${base}Operation` : base
    for (let count = 2; names.has(name); count += 1) name = `${base}${count}`
    names.add(name)
    return name
  })
}

function camelCase(id: string): string {
  const [first = '', ...rest] = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = [first, ...rest.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)].join('')
  return /^[A-Za-z]/.test(joined) ? joined : `operation${joined}`
}

function operationSource(operation: PlannedOperation, name: string, api: OpenApi): string {
  const { id, method, path, summary, inputs, outcome } = operation
  const lines = [
    `id: ${valueSource(id)},`,
    `method: ${valueSource(method)},`,
    `path: ${valueSource(path)},`,
    ...(summary === undefined ? [] : [`summary: ${valueSource(summary)},`]),
    ...(inputs.length === 0
      ? []
      : ['input: z.object({', ...inputs.map((input) => `  ${inputSource(input, api)},`), '}),']),
    ...locationLines(operation),
    `outcomes: ['${outcome}'],`,
    inputs.length === 0 ? `run: () => ${outcome}({}),` : `run: ({ input }) => ${outcome}({ ...input }),`,
  ]
  return `const ${name} = defineOperation({\n${lines.map((line) => `  ${line}\n`).join('')}})\n`
}

function inputSource({ name, schema, required, question }: PlannedInput, api: OpenApi): string {
  const described = question === undefined ? '' : `.describe(${valueSource(question)})`
  return `${keySource(name)}: ${zodSource(schema, api)}${described}${required ? '' : '.optional()'}`
}

/** The locations that differ from the default of the method. */
function locationLines({ method, inputs }: PlannedOperation): string[] {
  const usual = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  const unusual = inputs.filter(({ location }) => location !== 'path' && location !== usual)
  if (unusual.length === 0) return []
  return [
    `locations: { ${unusual.map(({ name, location }) => `${keySource(name)}: '${location}'`).join(', ')} },`,
  ]
}
