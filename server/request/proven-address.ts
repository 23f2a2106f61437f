import type { Session, User } from '../../shared/entities.ts'

/**
 * An address whose mailbox somebody proved to hold. Only the proofs below make one: administrators by address, invitations
 * and linking take it, and no boolean that somebody merely stated.
 */
export class ProvenAddress {
  /** Makes a look-alike no proof. */
  protected readonly isProven = true
  readonly email: string
  readonly proof: 'session' | 'provider' | 'admin'

  private constructor(email: string, proof: ProvenAddress['proof']) {
    this.email = email
    this.proof = proof
  }

  /** Of whoever is signed in: the way in that began the session had proved the mailbox, as the session's row tells. */
  static ofSession(session: Pick<Session, 'addressProven'>, { email }: Pick<User, 'email'>): ProvenAddress | null {
    return session.addressProven ? new ProvenAddress(email, 'session') : null
  }

  /** Of a user for whom another one decides: at least one of the ways in has proved the mailbox. */
  static ofUser({
    email,
    hasProvenWayIn,
  }: Pick<User, 'email'> & { readonly hasProvenWayIn: boolean }): ProvenAddress | null {
    return hasProvenWayIn ? new ProvenAddress(email, 'session') : null
  }

  /** Of an identity: a provider proves an address only if the settings trust it, and it states the address as verified. */
  static statedByProvider(
    trustedProviders: readonly string[],
    providerId: string,
    { email, emailVerified }: Pick<User, 'email' | 'emailVerified'>,
  ): ProvenAddress | null {
    return emailVerified && trustedProviders.includes(providerId) ? new ProvenAddress(email, 'provider') : null
  }

  /** By the word of an administrator of the platform who may set roles, or of a trusted server. */
  static statedByAdmin(email: string): ProvenAddress {
    return new ProvenAddress(email, 'admin')
  }
}
