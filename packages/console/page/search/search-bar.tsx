import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Field } from '../shell/field.tsx'
import { families, familyNames, outcomeWords } from '../shell/outcome-family.ts'
import {
  durationFault,
  everything,
  isEverything,
  type ListedField,
  type Search,
  type Searchable,
  valuesOf,
} from './search.ts'

interface SearchBarProps {
  /** The items whose values are offered. */
  readonly items: readonly Searchable[]
  readonly search: Search
  /** What the text is compared with. */
  readonly placeholder: string
  onChange(search: Search): void
}

/** The fields of a search. */
export function SearchBar({ items, search, placeholder, onChange }: SearchBarProps) {
  const fault = durationFault(search)
  const choices = { items, search, onChange }
  // Many gateways have no tools, and the field would be empty.
  const hasCalls = useMemo(() => items.some(({ via }) => via.length > 0), [items])
  return (
    <search class="filters">
      <Field label="Text" class="wide">
        {(id) => (
          <input
            id={id}
            type="search"
            data-search
            placeholder={placeholder}
            value={search.text}
            onInput={(event) => onChange({ ...search, text: event.currentTarget.value })}
          />
        )}
      </Field>
      <Choice label="Outcome" field="outcome" {...choices} />
      <Choice label="Code" field="code" {...choices} />
      <Choice label="Route" field="route" {...choices} />
      <Choice label="Tenant" field="tenant" {...choices} />
      <Choice label="Actor" field="actor" {...choices} />
      {(search.via !== '' || hasCalls) && <Choice label="Via" field="via" {...choices} />}
      <Field label="Slower than" class="narrow" fault={fault}>
        {(id, faultId) => (
          <input
            id={id}
            placeholder="250 ms"
            autocomplete="off"
            value={search.slower}
            aria-invalid={fault !== undefined}
            aria-describedby={faultId}
            onInput={(event) => onChange({ ...search, slower: event.currentTarget.value })}
          />
        )}
      </Field>
      <button
        type="button"
        class="quiet"
        disabled={isEverything(search)}
        onClick={() => onChange(everything)}
      >
        Show all
      </button>
    </search>
  )
}

interface ChoiceProps extends Omit<SearchBarProps, 'placeholder'> {
  readonly label: string
  readonly field: ListedField
}

function Choice({ label, field, items, search, onChange }: ChoiceProps) {
  const { values, more } = useMemo(() => valuesOf(items, field), [items, field])
  const chosen = search[field]
  const options = withChosen(values, chosen).map((value) => (
    <option key={value} value={value}>
      {field === 'outcome' ? outcomeWords(value) : value}
    </option>
  ))
  return (
    <Field label={label}>
      {(id) => (
        <select
          id={id}
          value={chosen}
          onChange={(event) => onChange({ ...search, [field]: event.currentTarget.value })}
        >
          <option value="">All</option>
          {field === 'outcome' ? <OutcomeGroups>{options}</OutcomeGroups> : options}
          {more > 0 && <option disabled>{more} more: use the text</option>}
        </select>
      )}
    </Field>
  )
}

function OutcomeGroups({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <optgroup label="Families">
        {families.map((family) => (
          <option key={family} value={family}>
            {familyNames[family]}
          </option>
        ))}
      </optgroup>
      <optgroup label="Outcomes">{children}</optgroup>
    </>
  )
}

// A choice of the address stays visible even if no item has it.
function withChosen(values: readonly string[], chosen: string): readonly string[] {
  const isFamily = families.some((family) => family === chosen)
  return chosen === '' || isFamily || values.includes(chosen) ? values : [chosen, ...values]
}
