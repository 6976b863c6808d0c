import type { LicenseCheckOptions } from '../../config/config-schema.ts'
import { InitialisationError } from '../../errors.ts'

/** What the table says about a tenant and a feature; `unlisted` when it does not know the tenant. */
export type LicenseVerdict = 'licensed' | 'expired' | 'unlicensed' | 'unlisted'

/** The static licences, ready to be looked up. */
export interface LicenseTable {
  verdict(tenant: string, feature: string): LicenseVerdict
}

interface License {
  readonly features: ReadonlySet<string>
  readonly expiresAtMs: number
}

/** Makes the table of the configuration (decision 20). */
export function createLicenseTable(tenants: LicenseCheckOptions['tenants']): LicenseTable {
  // A map, because a tenant may be called `constructor`.
  const licenses = new Map(Object.entries(tenants).map(([tenant, entry]) => [tenant, toLicense(entry)]))
  return {
    verdict: (tenant, feature) => {
      const license = licenses.get(tenant)
      if (license === undefined) return 'unlisted'
      // Renewing would not help a tenant that never had the feature.
      if (!license.features.has(feature)) return 'unlicensed'
      return Date.now() < license.expiresAtMs ? 'licensed' : 'expired'
    },
  }
}

function toLicense({ features, expires_at }: LicenseCheckOptions['tenants'][string]): License {
  const expiresAtMs = expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
  // No time is ever before a date that cannot be read: the tenant would be locked out without a word.
  if (Number.isNaN(expiresAtMs)) throw new InitialisationError('a licence has an expires_at that is no time')
  return { features: new Set(features), expiresAtMs }
}
