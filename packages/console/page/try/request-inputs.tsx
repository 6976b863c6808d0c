import { templateParameters } from '@agentic-rest/profile'
import type { Route } from '../api/bodies.ts'
import type { Feed } from '../live/feed.ts'
import { Field } from '../shell/field.tsx'
import { type Draft, hasBody } from './draft.ts'
import { bodyMembers, entryOf, withEntry } from './field-entry.ts'
import { SchemaField } from './schema-field.tsx'
import type { InputField, ServiceOperation } from './service-operation.ts'
import { suggestParam } from './suggest-params.ts'
import type { Described } from './use-operation.ts'

/** The form as the inputs see it. */
export interface InputsProps {
  readonly route: Route
  readonly draft: Draft
  readonly faults: ReadonlyMap<string, string>
  readonly feed: Feed
  readonly described: Described
  onDraft(draft: Draft): void
  onDescribe(): void
}

/** The inputs of a request: fields by the schema of the service, or text. */
export function RequestInputs(props: InputsProps) {
  const { route, draft, described, onDraft, onDescribe } = props
  if (described.state === 'loading') return <p class="note">Reading the description of the service…</p>
  const operation = described.state === 'known' ? described.operation : undefined
  return (
    <fieldset>
      <legend>Inputs</legend>
      {described.state === 'unknown' && described.reason !== '' && (
        <p class="note undescribed">
          <span>The fields are not known. {described.reason}</span>
          <button type="button" class="quiet" onClick={onDescribe}>
            Ask again
          </button>
        </p>
      )}
      {pathFields(route, operation).map((field) => (
        <PathField key={field.name} {...props} field={field} />
      ))}
      {operation?.fields
        .filter(({ location }) => location === 'query' || location === 'header')
        .map((field) => (
          <DescribedField key={`${field.location} ${field.name}`} {...props} {...{ field, operation }} />
        ))}
      {!hasBody(route) && !hasQueryFields(described) && <QueryField draft={draft} onDraft={onDraft} />}
      {hasBody(route) && <Body {...props} operation={operation} />}
    </fieldset>
  )
}

/** Whether the query has fields of its own, so that its text is only an option. */
export function hasQueryFields(described: Described): boolean {
  return (
    described.state === 'known' && described.operation.fields.some(({ location }) => location === 'query')
  )
}

/** The parameters of the path, with what the service says about them. */
function pathFields(route: Route, operation: ServiceOperation | undefined): InputField[] {
  return templateParameters(route.path).map(
    (name) =>
      operation?.fields.find((field) => field.location === 'path' && field.name === name) ?? plainParam(name),
  )
}

function plainParam(name: string): InputField {
  return {
    name,
    location: 'path',
    isRequired: true,
    kind: 'text',
    typeWords: '',
    choices: [],
    examples: [],
    fallback: undefined,
    description: '',
    isLong: false,
    schema: {},
  }
}

interface DescribedProps extends InputsProps {
  readonly field: InputField
  readonly operation?: ServiceOperation | undefined
}

function PathField(props: DescribedProps) {
  const { field, route, feed } = props
  const paths = feed.get().rows.map(({ path }) => path)
  return <DescribedField {...props} suggestions={suggestParam(route.path, field.name, paths)} />
}

function DescribedField(props: DescribedProps & { readonly suggestions?: readonly string[] }) {
  const { field, operation, draft, faults, suggestions = [], onDraft } = props
  const kind = field.location === 'path' ? 'param' : 'field'
  return (
    <SchemaField
      document={operation?.document ?? new Map()}
      field={field}
      entry={entryOf(draft, field)}
      fault={faults.get(`${kind} ${field.name}`)}
      suggestions={suggestions}
      onEntry={(text) => onDraft(withEntry(draft, field, text))}
    />
  )
}

type BodyProps = InputsProps & { readonly operation: ServiceOperation | undefined }

function Body(props: BodyProps) {
  const { operation, draft } = props
  if (operation === undefined || !operation.hasBodyFields) return <RawBody {...props} />
  const members = bodyMembers(draft.body)
  return (
    <>
      <EditorChoice {...props} />
      {draft.isRaw && <RawBody {...props} />}
      {!draft.isRaw && members === undefined && (
        <>
          <p class="note">The body is no JSON object, so its fields cannot be shown.</p>
          <RawBody {...props} />
        </>
      )}
      {!draft.isRaw && members !== undefined && <BodyFields {...props} operation={operation} />}
    </>
  )
}

function EditorChoice({ draft, onDraft }: BodyProps) {
  const choices = [
    { isRaw: false, words: 'Fields' },
    { isRaw: true, words: 'As JSON' },
  ]
  return (
    <div class="editor-choice" role="radiogroup" aria-label="Editor of the body">
      <span class="label">Editor</span>
      {choices.map(({ isRaw, words }) => (
        <label key={words} class="choice">
          <input
            type="radio"
            name="editor"
            checked={draft.isRaw === isRaw}
            onChange={() => onDraft({ ...draft, isRaw })}
          />
          <span>{words}</span>
        </label>
      ))}
    </div>
  )
}

function BodyFields(props: InputsProps & { readonly operation: ServiceOperation }) {
  const { operation, draft } = props
  const fields = operation.fields.filter(({ location }) => location === 'body')
  const known = new Set(fields.map(({ name }) => name))
  const others = [...(bodyMembers(draft.body)?.keys() ?? [])].filter((name) => !known.has(name))
  return (
    <>
      {fields.map((field) => (
        <DescribedField key={`body ${field.name}`} {...props} field={field} />
      ))}
      {others.length > 0 && (
        <p class="note">Also sent, though not described: {others.join(', ')}. Edit it as JSON.</p>
      )}
    </>
  )
}

function RawBody({ draft, faults, onDraft }: BodyProps) {
  return (
    <Field label="Body" hint="JSON; with {} the service asks for all inputs" fault={faults.get('body')}>
      {(id, fault) => (
        <textarea
          id={id}
          class="mono"
          rows={5}
          spellcheck={false}
          aria-invalid={fault !== undefined}
          aria-describedby={fault}
          value={draft.body}
          onInput={(event) => onDraft({ ...draft, body: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}

/** The query as text. */
export function QueryField({ draft, onDraft }: Pick<InputsProps, 'draft' | 'onDraft'>) {
  return (
    <Field label="Query" hint="Such as days=14&limit=5">
      {(id) => (
        <input
          id={id}
          class="mono"
          value={draft.query}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onDraft({ ...draft, query: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}
