import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditCard } from './credit-card.ts'
import { iban } from './iban.ts'

const seed = Number(process.env['SEED'])

test(`a sixteen-digit Visa number is found exactly when Luhn's sum is right (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.stringMatching(/^4[0-9]{15}$/), (number) => {
      expect(creditCard.find(` ${number} `, '')).toEqual(luhn(number) ? [{ start: 1, end: 17 }] : [])
    }),
    { seed, numRuns: 5000 },
  )
})

function luhn(number: string): boolean {
  const sum = [...number]
    .toReversed()
    .map(Number)
    .reduce(
      (all, digit, n) => all + (n % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10)),
      0,
    )
  return sum % 10 === 0
}

test(`changing one digit of a card number is always noticed (seed ${seed})`, () => {
  const number = '4111111111111111'
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
      const changed = number.slice(0, at) + ((Number(number[at]) + by) % 10) + number.slice(at + 1)
      expect(creditCard.find(changed, '')).toEqual([])
    }),
    { seed },
  )
})

const account = fc
  .tuple(
    fc.constantFrom(['DE', 18], ['NO', 11], ['BE', 12], ['CH', 17], ['GT', 24], ['LC', 28]),
    fc.infiniteStream(fc.constantFrom(...'0123456789ABCXYZ')),
  )
  .map(([[country, length], characters]) => ({
    country: String(country),
    rest: [...characters.take(Number(length))].join(''),
  }))

test(`an account number is found exactly with its own check digits (seed ${seed})`, () => {
  fc.assert(
    fc.property(account, fc.integer({ min: 2, max: 98 }), ({ country, rest }, digits) => {
      const right = checkDigits(country, rest)
      const written = String(digits).padStart(2, '0')
      const number = `${country}${written}${rest}`
      expect(iban.find(`(${number})`, '')).toEqual(
        written === right ? [{ start: 1, end: 1 + number.length }] : [],
      )
      expect(iban.find(`${country}${right}${rest}`, '')).toHaveLength(1)
    }),
    { seed, numRuns: 3000 },
  )
})

/** The textbook calculation: letters as numbers, country and 00 at the end, 98 minus the remainder. */
function checkDigits(country: string, rest: string): string {
  const number = [...`${rest}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('')
  return String(98n - (BigInt(number) % 97n)).padStart(2, '0')
}
