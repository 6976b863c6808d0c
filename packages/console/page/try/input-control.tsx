import type { RequiredInput } from '@agentic-rest/client'

interface ControlProps {
  readonly input: RequiredInput
  readonly entries: readonly string[]
  readonly isFaulty: boolean
  onChange(texts: readonly string[]): void
}

/** The control for an input: a list of allowed values, or a text field. */
export function InputControl(props: ControlProps) {
  const { input } = props
  if (input.allowedValues !== undefined)
    return <Choices {...props} options={choicesOf(input.allowedValues)} />
  if (input.type === 'boolean') return <Choices {...props} options={yesOrNo} />
  if (input.type === 'array' || input.type === 'object') return <LongText {...props} />
  return <ShortText {...props} />
}

interface Option {
  readonly value: string
  readonly label: string
}

const yesOrNo: readonly Option[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function choicesOf(values: readonly unknown[]): Option[] {
  return values.map((value, index) => ({
    value: String(index),
    label: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }))
}

const MAX_BUTTONS = 8

function Choices(props: ControlProps & { readonly options: readonly Option[] }) {
  const { input, entries, options, onChange } = props
  const isMany = input.type === 'array'
  if (options.length > MAX_BUTTONS && !isMany) return <Select {...props} />
  function toggle(value: string): void {
    const others = entries.filter((entry) => entry !== value)
    const added = entries.includes(value) ? others : [...others, value]
    onChange(isMany ? added : [value])
  }
  return (
    <div class="choices">
      {options.map(({ value, label }) => (
        <label key={value} class="choice">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={input.name}
            checked={entries.includes(value)}
            onChange={() => toggle(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  )
}

function Select({
  input,
  entries,
  options,
  isFaulty,
  onChange,
}: ControlProps & { readonly options: readonly Option[] }) {
  return (
    <select
      name={input.name}
      aria-label={`${input.name}: ${input.question}`}
      aria-invalid={isFaulty}
      value={entries[0] ?? ''}
      onChange={(event) => onChange([event.currentTarget.value])}
    >
      <option value="">Choose…</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

function LongText({ input, entries, isFaulty, onChange }: ControlProps) {
  return (
    <textarea
      class="mono"
      rows={3}
      name={input.name}
      aria-label={`${input.name}: ${input.question}`}
      aria-invalid={isFaulty}
      placeholder={input.type === 'array' ? 'One a line, or a JSON list' : '{ }'}
      value={entries[0] ?? ''}
      onInput={(event) => onChange([event.currentTarget.value])}
    />
  )
}

function ShortText({ input, entries, isFaulty, onChange }: ControlProps) {
  return (
    <input
      name={input.name}
      aria-label={`${input.name}: ${input.question}`}
      aria-invalid={isFaulty}
      inputMode={input.type === 'integer' ? 'numeric' : 'text'}
      autocomplete="off"
      value={entries[0] ?? ''}
      onInput={(event) => onChange([event.currentTarget.value])}
    />
  )
}
