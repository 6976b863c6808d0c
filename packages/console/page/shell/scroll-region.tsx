import type { ComponentChildren, Ref } from 'preact'

interface RegionProps {
  readonly label: string
  readonly class?: string
  readonly regionRef?: Ref<HTMLElement>
  readonly children: ComponentChildren
  onScroll?(): void
}

/** A region that scrolls, also by keyboard. */
export function ScrollRegion({ label, class: extra = '', regionRef, children, onScroll }: RegionProps) {
  return (
    <section
      class={`scroll ${extra}`.trim()}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      {...(regionRef && { ref: regionRef })}
      {...(onScroll && { onScroll })}
    >
      {children}
    </section>
  )
}
