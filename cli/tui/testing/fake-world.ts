export interface Person {
  name: string
  password: string
  image: string | null
  isVerified: boolean
}

export interface Row {
  readonly id: string
  readonly token: string
  readonly email: string
  readonly userAgent: string
}

export interface FakeMail {
  readonly kind: 'verify' | 'change' | 'reset' | 'delete'
  readonly to: string
  readonly newEmail: string | undefined
  readonly token: string
  readonly url: string
}

/** What the fake service knows. */
export interface FakeWorld {
  readonly origin: string
  readonly people: Map<string, Person>
  sessions: Row[]
  /** What was mailed, oldest first. */
  readonly mails: FakeMail[]
  readonly deletesByMail: boolean
  readonly user: (email: string) => object
}
