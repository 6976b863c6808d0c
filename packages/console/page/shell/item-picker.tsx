import { useEffect, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import type { View } from './place.ts'
import { goTo } from './use-place.ts'

/** The words of a picker, and the view whose item it picks. */
export interface ItemPickerProps {
  readonly view: View
  /** The shown item; empty for none. */
  readonly item: string
  readonly label: string
  readonly placeholder: string
  /** The button that leaves the item. */
  readonly back: string
  readonly isWide?: boolean
}

/** A field for the item of a view, with a button to show it and one to leave it. */
export function ItemPicker({ view, item, label, placeholder, back, isWide = false }: ItemPickerProps) {
  const [text, setText] = useState(item)
  useEffect(() => setText(item), [item])
  function show(event: Event): void {
    event.preventDefault()
    goTo({ view, item: text.trim() })
  }
  return (
    <form class="picker" onSubmit={show}>
      <Field label={label} {...(isWide && { class: 'wide' })}>
        {(id) => (
          <input
            id={id}
            class="mono"
            value={text}
            autocomplete="off"
            spellcheck={false}
            placeholder={placeholder}
            data-search
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="primary" disabled={text.trim() === ''}>
        Show
      </button>
      {item !== '' && (
        <button type="button" class="quiet" onClick={() => goTo({ view, item: '' })}>
          {back}
        </button>
      )}
    </form>
  )
}
