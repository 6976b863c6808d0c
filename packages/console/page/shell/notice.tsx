import type { ComponentChildren } from 'preact'

interface NoticeProps {
  readonly kind: 'fault' | 'warning' | 'info'
  readonly title: string
  readonly children?: ComponentChildren
}

/** Something that has to be read. A fault is also read out. */
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

/** What stands where there is nothing yet, and how something gets there. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
