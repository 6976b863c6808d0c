import type { OpenApi } from './openapi.ts'
import type { PlannedInput, PlannedOperation } from './plan-operations.ts'
import { keySource, memberSource, valueSource } from './zod-source.ts'

/** The document of the operations, and a receiver of notes about its parts that are left out. */
export interface Origin {
  readonly api: OpenApi
  readonly note: (text: string) => void
}

/** The source of the operations of an OpenAPI document. */
export function operationsSource(operations: readonly PlannedOperation[], origin: Origin): string {
  const makers = new Set(operations.map(({ outcome }) => outcome))
  const names = namesFor(operations)
  const parts = operations.map((operation, index) => operationSource(operation, names[index] ?? '', origin))
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

function operationSource(operation: PlannedOperation, name: string, { api, note }: Origin): string {
  const { id, method, path, summary, inputs, outcome } = operation
  const inputSource = (input: PlannedInput) => {
    const noteInput = (text: string) => note(`${method} ${path}, ${text}`)
    return `${keySource(input.name)}: ${memberSource(input.schema, input, { api, note: noteInput, at: input.name })}`
  }
  const lines = [
    `id: ${valueSource(id)},`,
    `method: ${valueSource(method)},`,
    `path: ${valueSource(path)},`,
    ...(summary === undefined ? [] : [`summary: ${valueSource(summary)},`]),
    ...(inputs.length === 0
      ? []
      : ['input: z.object({', ...inputs.map((input) => `  ${inputSource(input)},`), '}),']),
    ...locationLines(operation),
    `outcomes: ['${outcome}'],`,
    ...(operation.idempotent ? ['idempotent: true,'] : []),
    ...(operation.async ? ['async: true,'] : []),
    ...approvalLines(operation),
    inputs.length === 0 ? `run: () => ${outcome}({}),` : `run: ({ input }) => ${outcome}({ ...input }),`,
  ]
  return `const ${name} = defineOperation({\n${lines.map((line) => `  ${line}\n`).join('')}})\n`
}

/** The document names the role; every request needs its approval until the code decides otherwise. */
function approvalLines({ id, approvalRole }: PlannedOperation): string[] {
  if (approvalRole === undefined) return []
  const [role, message] = [valueSource(approvalRole), valueSource(`Approve ${id}?`)]
  return [
    'approval: {',
    `  role: ${role},`,
    `  when: () => ({ message: ${message}, approver: { name: ${role} } }),`,
    '},',
  ]
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
