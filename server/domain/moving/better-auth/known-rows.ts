export type Row = Readonly<Record<string, unknown>>

/** What the rows that were read say of those that follow. */
export class KnownRows {
  /** Users with a link whose address is verified. */
  verified: ReadonlySet<unknown> = new Set()
  /** Ids of the links that can come. */
  readonly links = new Set<unknown>()
  readonly #teams: ReadonlyMap<string, readonly Row[]> | null

  /** @param teams those of the members, by `memberKey`. Null where no table has them. */
  constructor(teams: ReadonlyMap<string, readonly Row[]> | null) {
    this.#teams = teams
  }

  /** Whether a table has them, even one without any row. */
  get hasTeams(): boolean {
    return this.#teams !== null
  }

  teamsOf({ userId, organizationId }: Row): readonly Row[] {
    return this.#teams?.get(memberKey(userId, organizationId)) ?? []
  }

  note(model: string, row: Row, record: object): void {
    if (model === 'verification' && isWanted(record)) this.links.add(row['id'])
  }
}

export const memberKey = (userId: unknown, organizationId: unknown): string =>
  `${String(userId)} ${String(organizationId)}`

const isWanted = (record: object): boolean => {
  const { purpose, emailVerified } = Object(record)
  return purpose === 'delete-account' || (purpose === 'reset-password' && emailVerified === true)
}
