import type { PlannedInput, PlannedOperation } from './plan-operations.ts'
import type { OpenApi } from './read-openapi.ts'
import { keySource, valueSource, zodSource } from './zod-source.ts'

/** The operations of a project that starts from nothing: one, which needs no network. */
export const exampleSource = `import { created, defineOperation } from '@agentic-rest/service'
import { z } from 'zod'

const createSummary = defineOperation({
  id: 'create-summary',
  method: 'POST',
  path: '/notes/{noteId}/summaries',
  summary: 'Shortens a note.',
  // One object with all inputs: noteId is in the path, the others are in the body. What is required and missing is asked
  // for with its description (clarification_required), what is wrong is refused (validation_failed).
  input: z.object({
    noteId: z.string(),
    text: z.string().min(1).describe('Which text is to be shortened?'),
    length: z.enum(['short', 'long']).describe('How long may the summary be?'),
  }),
  outcomes: ['created'],
  run: ({ input: { noteId, text, length } }) =>
    created({ id: \`\${noteId}-\${length}\`, noteId, length, summary: shorten(text, length) }),
})

/** Everything that this service offers. */
export const operations = [createSummary]

// Put your agent here: it may call a model, other agents with \`call\`, or a database.
function shorten(text: string, length: 'short' | 'long'): string {
  const sentences = text.split(/(?<=[.!?])\\s+/)
  return sentences.slice(0, length === 'short' ? 1 : 3).join(' ')
}
`

/** The operations of a project that starts from an OpenAPI document. */
export function operationsSource(operations: readonly PlannedOperation[], api: OpenApi): string {
  const makers = new Set(operations.map(({ outcome }) => outcome))
  const names = namesFor(operations)
  const parts = operations.map((operation, index) => operationSource(operation, names[index] ?? '', api))
  const usesInputs = operations.some(({ inputs }) => inputs.length > 0)
  return `import { ${[...makers, 'defineOperation'].toSorted().join(', ')} } from '@agentic-rest/service'
${usesInputs ? "import { z } from 'zod'\n" : ''}
// Each operation gives its inputs back. Put your agents in place of that.

${parts.join('\n')}
/** Everything that this service offers. */
export const operations = [${names.join(', ')}]
`
}

// Names of the file, and words of the language that a document might use for an operation.
const taken = [
  'created success defineOperation operations z',
  'await break case catch class const continue debugger default delete do else enum export extends false finally for',
  'function if implements import in instanceof interface let new null package private protected public return static',
  'super switch this throw true try typeof var void while with yield arguments eval undefined',
].flatMap((line) => line.split(' '))

/** A name for each operation that nothing else has. */
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

/** Places that are not the usual ones. */
function locationLines({ method, inputs }: PlannedOperation): string[] {
  const usual = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  const unusual = inputs.filter(({ location }) => location !== 'path' && location !== usual)
  if (unusual.length === 0) return []
  return [
    `locations: { ${unusual.map(({ name, location }) => `${keySource(name)}: '${location}'`).join(', ')} },`,
  ]
}
