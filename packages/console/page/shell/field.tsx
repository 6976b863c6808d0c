import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly class?: string
  readonly fault?: string | undefined
  /** The control, with its id and the id of its error message, if there is one. */
  readonly children: (id: string, faultId: string | undefined) => ComponentChildren
}

/** A control with label, hint and error message. */
export function Field({ label, hint, class: extra = '', fault, children }: FieldProps) {
  const id = useId()
  const faultId = fault === undefined ? undefined : `${id}-fault`
  return (
    <div class={`field ${extra}`.trim()}>
      <span class="label-line">
        <label class="label" for={id}>
          {label}
        </label>
        {hint !== undefined && <span class="note">{hint}</span>}
      </span>
      {children(id, faultId)}
      {fault !== undefined && (
        <p class="field-fault" id={faultId} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
