import { useEffect, useState } from 'preact/hooks'
import type { Fields } from '../api/read-json.ts'
import { Field } from '../shell/field.tsx'
import { choiceEntries, entryFault, readEntry } from './field-entry.ts'
import { isSame } from './schema-fault.ts'
import type { InputField } from './service-operation.ts'

interface SchemaFieldProps {
  readonly document: Fields
  readonly field: InputField
  /** The text in the form. */
  readonly entry: string
  /** The fault of an attempt to send. */
  readonly fault: string | undefined
  /** Values of recent requests. */
  readonly suggestions?: readonly string[]
  onEntry(text: string): void
}

/** The control for a described input: its type, description, examples and allowed values. */
export function SchemaField({ document, field, entry, fault, suggestions = [], onEntry }: SchemaFieldProps) {
  const [text, setText] = useTyped(field, entry)
  const advice = entryFault(document, field, text)
  function change(next: string): void {
    setText(next)
    onEntry(next)
  }
  return (
    <Field
      label={field.name}
      hint={hintOf(field)}
      about={field.description}
      fault={fault ?? advice}
      isAlert={fault !== undefined}
    >
      {(id, faultId, aboutId) => (
        <Control
          {...{ id, field, text, suggestions }}
          described={[aboutId, faultId].filter((each) => each !== undefined).join(' ')}
          isFaulty={faultId !== undefined}
          onText={change}
        />
      )}
    </Field>
  )
}

/** Keeps the typed text while it means the same: `1.` on the way to `1.5`, or JSON with its own line breaks. */
function useTyped(field: InputField, entry: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(entry)
  const isStale = !isSame(readEntry(field, text), readEntry(field, entry))
  useEffect(() => {
    if (isStale) setText(entry)
  }, [isStale, entry])
  return [isStale ? entry : text, setText]
}

function hintOf({ location, typeWords, kind, isRequired, fallback }: InputField): string {
  const parts = [
    location === 'body' ? '' : `in the ${location}`,
    kind === 'choice' ? '' : typeWords,
    fallback === undefined
      ? ''
      : `default ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`,
    isRequired ? 'required' : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

interface ControlProps {
  readonly id: string
  readonly field: InputField
  readonly text: string
  readonly suggestions: readonly string[]
  /** The ids of description and fault; empty for none. */
  readonly described: string
  readonly isFaulty: boolean
  onText(text: string): void
}

function Control(props: ControlProps) {
  const { field } = props
  if (field.kind === 'choice') return <Choice {...props} options={choiceEntries(field)} />
  if (field.kind === 'boolean') return <Choice {...props} options={yesOrNo} />
  if (field.kind === 'json' || field.kind === 'lines' || field.isLong) return <LongText {...props} />
  return <ShortText {...props} />
}

interface Option {
  readonly text: string
  readonly words: string
}

const yesOrNo: readonly Option[] = [
  { text: 'true', words: 'Yes' },
  { text: 'false', words: 'No' },
]

function Choice({
  field,
  text,
  options,
  onText,
  ...rest
}: ControlProps & { readonly options: readonly Option[] }) {
  const isListed = text === '' || options.some((option) => option.text === text)
  return (
    <select {...common(rest)} value={text} onChange={(event) => onText(event.currentTarget.value)}>
      <option value="">{field.isRequired ? 'Not given: the service asks' : 'Left out'}</option>
      {options.map((option) => (
        <option key={option.text} value={option.text}>
          {option.words}
        </option>
      ))}
      {!isListed && <option value={text}>{text}</option>}
    </select>
  )
}

function LongText({ field, text, onText, ...rest }: ControlProps) {
  return (
    <textarea
      {...common(rest)}
      class="mono"
      rows={3}
      spellcheck={false}
      placeholder={placeholderOf(field)}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
}

function ShortText({ field, text, suggestions, onText, ...rest }: ControlProps) {
  const values = new Set([...suggestions, ...field.examples.map(textOf)])
  return (
    <>
      <input
        {...common(rest)}
        class="mono"
        list={`${rest.id}-values`}
        inputMode={field.kind === 'integer' ? 'numeric' : field.kind === 'number' ? 'decimal' : 'text'}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholderOf(field)}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <datalist id={`${rest.id}-values`}>
        {[...values].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}

function common({ id, described, isFaulty }: Pick<ControlProps, 'id' | 'described' | 'isFaulty'>) {
  return { id, 'aria-invalid': isFaulty, 'aria-describedby': described || undefined }
}

function placeholderOf({ kind, examples }: InputField): string | undefined {
  const [example] = examples
  if (example !== undefined) return `e.g. ${textOf(example)}`
  if (kind === 'json') return 'JSON'
  return kind === 'lines' ? 'One value a line' : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
