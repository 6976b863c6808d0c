import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly kind: 'fault' | 'warning' | 'info'
  readonly title: string
  readonly children?: ComponentChildren
}

/** A notice. Screen readers announce a fault. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'fault' ? 'alert' : undefined}>
      <p class="notice-title">{title}</p>
      {children}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** An empty state with a hint. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
