import { setTimeout as delay } from 'node:timers/promises'
import type {
  DetailedTask,
  InputRequest,
  TaskAnswer,
  ToolAnswer,
  ToolCall,
  ToolHost,
} from '../../packages/mcp/src/index.ts'

const TASKS = 'io.modelcontextprotocol/tasks'

type Tool = (call: ToolCall) => Promise<ToolAnswer>
type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
type Responses = Readonly<Record<string, unknown>>

interface Entry {
  readonly task: Writable<DetailedTask>
  readonly left: AbortController
  readonly answers: Record<string, unknown>
  resume: (() => void) | undefined
}

/** A job: a tool result after some time, which may ask questions before. */
type Job = (entry: Entry, call: ToolCall) => Promise<Pick<DetailedTask, 'result' | 'error'>>

const text = (value: string) => ({ result: { content: [{ type: 'text', text: value }] } })
const confirmation = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } } },
})

const jobs: Readonly<Record<string, Job>> = {
  async slow_compute({ left }, { arguments: given }) {
    // Wait: the job takes as long as the suite asks for.
    await delay(Number(given['seconds'] ?? 0) * 1000, undefined, { signal: left.signal })
    return text(`Computed ${given['label']}.`)
  },
  async failing_job() {
    // Wait: the job fails after the suite has its task.
    await delay(200)
    return { result: { content: [{ type: 'text', text: 'The job failed.' }], isError: true } }
  },
  async protocol_error_job() {
    return { error: { code: -32603, message: 'The job broke.' } }
  },
  async confirm_delete(entry) {
    await asked(entry, { confirm: confirmation('Delete it?') })
    return text(`Deleted: ${JSON.stringify(entry.answers)}`)
  },
  async multi_input(entry) {
    await asked(entry, { first: confirmation('First?'), second: confirmation('Second?') })
    return text('Both answered.')
  },
  async test_tool_with_task(_entry, { inputResponses }) {
    return text(`Hello, ${JSON.stringify(inputResponses['user_name'])}!`)
  },
}

const requireTasks = new Set(['failing_job', 'test_tool_with_task'])

/** Waits until all questions of a task are answered. */
async function asked(entry: Entry, questions: Readonly<Record<string, InputRequest>>): Promise<void> {
  entry.task.status = 'input_required'
  entry.task.inputRequests = questions
  await new Promise<void>((resolve) => {
    entry.resume = resolve
  })
}

/** The tools of the suite that make tasks, with a store in memory. The facade has none: its ids carry everything. */
export function createFixtureTasks(): {
  tools: Readonly<Record<string, Tool>>
  host: NonNullable<ToolHost['tasks']>
} {
  const entries = new Map<string, Entry>()
  const tools = Object.fromEntries(
    Object.entries(jobs).map(([name, job]): [string, Tool] => [
      name,
      (call) => start(entries, { name, job, call }),
    ]),
  )
  const find = (taskId: string, use: (entry: Entry) => TaskAnswer): Promise<TaskAnswer> => {
    const entry = entries.get(taskId)
    const unknown: TaskAnswer = { type: 'refused', error: { code: -32602, message: 'Unknown task' } }
    return Promise.resolve(entry === undefined ? unknown : use(entry))
  }
  return {
    tools,
    host: {
      get: (taskId) => find(taskId, ({ task }) => ({ type: 'task', task: { ...task } })),
      update: (taskId, responses) => find(taskId, (entry) => update(entry, responses)),
      cancel: (taskId) => find(taskId, cancel),
    },
  }
}

async function start(
  entries: Map<string, Entry>,
  { name, job, call }: { readonly name: string; readonly job: Job; readonly call: ToolCall },
): Promise<ToolAnswer> {
  if (!call.client.tasks && requireTasks.has(name)) {
    const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } }
    return { type: 'refused', error: { code: -32021, message: `Missing capability: ${TASKS}`, data } }
  }
  if (name === 'test_tool_with_task' && call.inputResponses['user_name'] === undefined) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const params = { message: 'What is your name?', requestedSchema }
    return { type: 'input_required', inputRequests: { user_name: { method: 'elicitation/create', params } } }
  }
  const now = new Date().toISOString()
  const taskId = crypto.randomUUID()
  const task = {
    taskId,
    status: 'working' as const,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 60_000,
    pollIntervalMs: 100,
  }
  const entry: Entry = { task: { ...task }, left: new AbortController(), answers: {}, resume: undefined }
  if (!call.client.tasks) {
    const { result = { content: [] } } = await job(entry, call)
    return { type: 'result', result }
  }
  entries.set(taskId, entry)
  job(entry, call).then(
    (end) => {
      Object.assign(entry.task, end, { status: end.error === undefined ? 'completed' : 'failed' })
      delete entry.task.inputRequests
    },
    () => undefined,
  )
  return { type: 'task', task }
}

function update(entry: Entry, responses: Responses): TaskAnswer {
  const { task } = entry
  const open = { ...task.inputRequests }
  for (const [key, response] of Object.entries(responses)) {
    if (!Object.hasOwn(open, key)) continue
    entry.answers[key] = response
    delete open[key]
  }
  if (task.status === 'input_required') {
    task.inputRequests = open
    if (Object.keys(open).length === 0) {
      delete task.inputRequests
      task.status = 'working'
      entry.resume?.()
    }
  }
  return { type: 'acknowledged' }
}

function cancel({ task, left }: Entry): TaskAnswer {
  if (task.status === 'working' || task.status === 'input_required') {
    task.status = 'cancelled'
    delete task.inputRequests
    left.abort()
  }
  return { type: 'acknowledged' }
}
