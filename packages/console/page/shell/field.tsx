import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly class?: string
  /** A description below the label. */
  readonly about?: string | undefined
  readonly fault?: string | undefined
  /** Whether screen readers announce the fault at once; not while somebody still types. */
  readonly isAlert?: boolean
  /** The control, with its id, the id of its error message and that of its description, if there are any. */
  readonly children: (
    id: string,
    faultId: string | undefined,
    aboutId: string | undefined,
  ) => ComponentChildren
}

/** A control with label, hint, description and error message. */
export function Field({
  label,
  hint,
  class: extra = '',
  about = '',
  fault,
  isAlert = true,
  children,
}: FieldProps) {
  const id = useId()
  const faultId = fault === undefined ? undefined : `${id}-fault`
  const aboutId = about === '' ? undefined : `${id}-about`
  return (
    <div class={`field ${extra}`.trim()}>
      <span class="label-line">
        <label class="label" for={id}>
          {label}
        </label>
        {hint !== undefined && <span class="note">{hint}</span>}
      </span>
      {about !== '' && (
        <p class="note" id={aboutId}>
          {about}
        </p>
      )}
      {children(id, faultId, aboutId)}
      {fault !== undefined && (
        <p class="field-fault" id={faultId} role={isAlert ? 'alert' : undefined}>
          {fault}
        </p>
      )}
    </div>
  )
}
