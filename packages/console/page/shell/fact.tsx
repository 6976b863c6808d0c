interface FactProps {
  readonly name: string
  readonly value: string
}

/** One fact of a `dl`, with its name. */
export function Fact({ name, value }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
