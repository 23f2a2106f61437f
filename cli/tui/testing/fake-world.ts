export interface FakePerson {
  name: string
  password: string
  image: string | null
  isVerified: boolean
}

export interface FakeSession {
  readonly id: string
  readonly token: string
  readonly email: string
  readonly userAgent: string
  activeOrganizationId?: string | null
}

export interface FakeMail {
  readonly kind: 'verify' | 'change' | 'reset' | 'delete'
  readonly to: string
  readonly newEmail: string | undefined
  readonly token: string
  readonly url: string
}

/** One way in which a person signs in. */
export interface FakeLink {
  readonly id: string
  readonly provider: string
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly email: string
}

/** What the fake service knows. */
export interface FakeWorld {
  readonly origin: string
  readonly people: Map<string, FakePerson>
  sessions: FakeSession[]
  /** What was mailed, oldest first. */
  readonly mails: FakeMail[]
  readonly deletesByMail: boolean
  readonly deletesNobody: boolean
  /** Invitations are for proven addresses only. */
  readonly invitesVerified: boolean
  readonly hasTeams: boolean
  readonly organizations: FakeOrganization[]
  readonly links: FakeLink[]
  /** What is being linked in a browser, and whether it was linked or refused there; undefined: not yet. */
  linking: FakeLink | undefined
  readonly isLinkMade: boolean | undefined
  readonly user: (email: string) => object
}

export interface FakeMember {
  readonly id: string
  readonly email: string
  role: string
  teamId: string | null
}

export interface FakeInvitation {
  readonly id: string
  readonly email: string
  role: string
  status: string
  readonly teamId: string | null
  readonly inviter: string
  /** How often it was mailed. */
  mailed: number
}

export interface FakeOrganization {
  readonly id: string
  name: string
  slug: string
  logo: string | null
  metadata: object | null
  members: FakeMember[]
  invitations: FakeInvitation[]
  teams: { readonly id: string; name: string }[]
}
