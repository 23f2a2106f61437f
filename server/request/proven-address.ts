import type { Session, User } from '../../shared/entities.ts'

/**
 * An address whose mailbox somebody proved to hold. Only the methods below create one. Administrators by address,
 * invitations and linking require it, rather than a boolean that a caller merely asserts.
 */
export class ProvenAddress {
  /** Keeps objects of the same shape from passing as a proof. */
  protected readonly isProven = true
  readonly email: string
  readonly proof: 'session' | 'provider' | 'admin'

  private constructor(email: string, proof: ProvenAddress['proof']) {
    this.email = email
    this.proof = proof
  }

  /**
   * The address of a signed-in user whose session began with a sign-in method that had proved the mailbox, as the
   * session's row records.
   */
  static ofSession(session: Pick<Session, 'addressProven'>, { email }: Pick<User, 'email'>): ProvenAddress | null {
    return session.addressProven ? new ProvenAddress(email, 'session') : null
  }

  /**
   * The address of a user for whom somebody else decides: at least one of their sign-in methods has proved the mailbox.
   */
  static ofUser({
    email,
    hasProvenWayIn,
  }: Pick<User, 'email'> & { readonly hasProvenWayIn: boolean }): ProvenAddress | null {
    return hasProvenWayIn ? new ProvenAddress(email, 'session') : null
  }

  /**
   * The address of an identity. A provider proves an address only if the settings trust it and it states the address as
   * verified.
   */
  static statedByProvider(
    trustedProviders: readonly string[],
    providerId: string,
    { email, emailVerified }: Pick<User, 'email' | 'emailVerified'>,
  ): ProvenAddress | null {
    return emailVerified && trustedProviders.includes(providerId) ? new ProvenAddress(email, 'provider') : null
  }

  /** An address that a platform administrator who may set roles, or a trusted server, declares to be proven. */
  static statedByAdmin(email: string): ProvenAddress {
    return new ProvenAddress(email, 'admin')
  }
}
