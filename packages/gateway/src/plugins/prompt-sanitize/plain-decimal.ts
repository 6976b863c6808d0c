const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/
const LONGEST = 40

/**
 * A JSON number written out without exponent and trailing zeros: `4.111111111111111e15` is a card number too. Undefined
 * when the number is written that way already or is too long to mean anything.
 */
export function plainDecimal(source: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0 || point > LONGEST || digits.length > LONGEST) return undefined
  const integer = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=[0-9])/, '')
  const rest = digits.slice(point).replace(/0+$/, '')
  const plain = `${sign}${integer}${rest === '' ? '' : `.${rest}`}`
  return plain === source ? undefined : plain
}
