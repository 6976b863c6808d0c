interface FactProps {
  readonly name: string
  readonly value: string
}

/** One entry of a `dl`. */
export function Fact({ name, value }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
