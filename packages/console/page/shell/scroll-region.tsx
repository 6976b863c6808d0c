import type { ComponentChildren } from 'preact'

interface RegionProps {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** A region that scrolls, also by keyboard. */
export function ScrollRegion({ label, class: extra = '', children }: RegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class={`scroll ${extra}`.trim()} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
