import type { ByteAccount, NotHeld } from '../../exchange.ts'
import { TenantCounts } from './tenant-counts.ts'

/** The bounds of the bodies in memory, in bytes. */
export interface HeldBytesLimits {
  readonly total: number
  readonly perTenant: number
}

/**
 * Counts the bytes of bodies in memory. They count when they arrive, not when a client declares them: otherwise a client
 * could reserve all memory with heads alone and send nothing.
 */
export class HeldBytes {
  private readonly limits: () => HeldBytesLimits
  private readonly byTenant = new TenantCounts()
  private held = 0

  constructor(limits: () => HeldBytesLimits) {
    this.limits = limits
  }

  get total(): number {
    return this.held
  }

  of(tenant: string): number {
    return this.byTenant.of(tenant)
  }

  /** The bound that so many more bytes of a tenant would exceed. */
  exceeded(tenant: string, bytes: number): keyof HeldBytesLimits | undefined {
    const { total, perTenant } = this.limits()
    if (this.of(tenant) + bytes > perTenant) return 'perTenant'
    return this.held + bytes > total ? 'total' : undefined
  }

  add(tenant: string, bytes: number): void {
    this.held += bytes
    this.byTenant.add(tenant, bytes)
  }
}

/** The bytes that one request of a tenant holds. */
export class TenantByteAccount implements ByteAccount {
  private readonly bytes: HeldBytes
  private readonly tenant: string
  private own = 0
  private isOpen = true

  constructor(bytes: HeldBytes, tenant: string) {
    this.bytes = bytes
    this.tenant = tenant
  }

  refusal(bytes: number): NotHeld | undefined {
    return this.isOpen ? this.bytes.exceeded(this.tenant, bytes) : 'ended'
  }

  take(bytes: number): NotHeld | undefined {
    const refused = this.refusal(bytes)
    if (refused === undefined) this.add(bytes)
    return refused
  }

  add(bytes: number): void {
    if (!this.isOpen) return
    this.own += bytes
    this.bytes.add(this.tenant, bytes)
  }

  close(): void {
    this.add(-this.own)
    this.isOpen = false
  }
}
