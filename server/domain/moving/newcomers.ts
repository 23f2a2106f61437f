import { roleList } from '../../../shared/moving/records.ts'
import type { Config } from '../../config.ts'
import { isPrivileged } from '../admin/permission.ts'
import type { Source, SourceItem } from './source.ts'

type Rules = Pick<Config, 'platformRoles' | 'ADMIN_USER_IDS' | 'ADMIN_EMAILS'>

export interface NewcomerOptions {
  readonly config: Rules
  /** False: nobody gets a role of the platform. */
  readonly withPlatformRoles: boolean
  /** Ids of those who have rights on the platform already. */
  readonly known: ReadonlySet<string>
}

/** The roles that give any right on the platform. */
export const privilegedRoles = (config: Rules): readonly string[] =>
  Object.keys(config.platformRoles).filter((name) =>
    isPrivileged(config, { id: '', role: [name], provenAddress: null }),
  )

/** Follows the users of a source: who of them gets rights on the platform, so that nobody gets them unnoticed. */
export class Newcomers {
  readonly #privileged = new Map<string, string>()
  readonly #options: NewcomerOptions

  constructor(options: NewcomerOptions) {
    this.#options = options
  }

  /** The same source, read with an eye on its users. */
  in(source: Source): Source {
    const look = (item: SourceItem) => this.#look(item)
    return {
      ...source,
      async *read(position) {
        for await (const item of source.read(position)) yield look(item)
      },
    }
  }

  /** Of a user who was left out. */
  forget(id: string | null): void {
    if (id !== null) this.#privileged.delete(id)
  }

  /** The addresses of those who came. */
  get administrators(): readonly string[] {
    return [...this.#privileged.values()]
  }

  #look(item: SourceItem): SourceItem {
    const { record } = item
    if (!isUser(record)) return item
    const kept = this.#options.withPlatformRoles ? record : withoutRole(record)
    const { id, email } = record
    if (!this.#options.known.has(id) && this.#isPrivileged(id, email, rolesIn(kept))) this.#privileged.set(id, email)
    return { ...item, record: kept }
  }

  /** An address in the settings counts as soon as it is proven. */
  #isPrivileged(id: string, email: string, role: readonly string[]): boolean {
    const { config } = this.#options
    return (
      config.ADMIN_EMAILS.includes(email.toLowerCase()) ||
      isPrivileged(config, { id, role: [...role], provenAddress: null })
    )
  }
}

const withoutRole = (record: UserLike): UserLike => {
  const { role, ...rest } = record
  return role === undefined ? record : rest
}

interface UserLike {
  readonly id: string
  readonly email: string
  readonly role?: unknown
}

const isUser = (record: unknown): record is UserLike => {
  const { type, id, email } = Object(record)
  return type === 'user' && typeof id === 'string' && typeof email === 'string'
}

const rolesIn = ({ role }: { readonly role?: unknown }): readonly string[] =>
  Array.isArray(role) || typeof role === 'string' ? roleList(role) : []
