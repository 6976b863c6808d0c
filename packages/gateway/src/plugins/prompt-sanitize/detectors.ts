import type { BuiltinRule } from '../../config/config-schema.ts'
import { apiKey } from './detectors/api-key.ts'
import { creditCard } from './detectors/credit-card.ts'
import { email } from './detectors/email.ts'
import type { Detector } from './detectors/find-matches.ts'
import { iban } from './detectors/iban.ts'
import { ipv4 } from './detectors/ipv4.ts'
import { jwt } from './detectors/jwt.ts'
import { phone } from './detectors/phone.ts'
import { usSsn } from './detectors/us-ssn.ts'

/** The detectors that come with the gateway. */
export const detectors = {
  email,
  phone,
  credit_card: creditCard,
  iban,
  us_ssn: usSsn,
  ipv4,
  jwt,
  api_key: apiKey,
} as const satisfies Record<BuiltinRule, Detector>
