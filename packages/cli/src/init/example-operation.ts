import type { PlannedOperation } from './plan-operations.ts'

/** The operation of `exampleSource`, as the other files tell of it. */
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
