import type { Config } from '../../config.ts'
import type { Driver } from '../../db/connect.ts'
import { withoutLimits } from '../../db/long-work.ts'
import { findRoleHolders, type RoleHolder } from '../../db/moving/role-holders.ts'
import { isPrivileged } from '../admin/permission.ts'
import type { Source, SourceItem } from './source.ts'

type Rules = Pick<Config, 'platformRoles' | 'ADMIN_USER_IDS' | 'ADMIN_EMAILS'>

/** The roles that give any right on the platform. */
const privilegedRoles = (config: Rules): readonly string[] =>
  Object.keys(config.platformRoles).filter((name) =>
    isPrivileged(config, { id: '', role: [name], provenAddress: null }),
  )

const holdersOf = (sql: Driver, config: Rules): Promise<readonly RoleHolder[]> =>
  findRoleHolders(sql, {
    roles: privilegedRoles(config),
    userIds: config.ADMIN_USER_IDS,
    emails: config.ADMIN_EMAILS,
  })

const keyOf = ({ id, role }: RoleHolder): string => JSON.stringify([id, role])

/**
 * Who has rights on the platform that they did not have before, by the database, so that nobody gets them unnoticed.
 */
export class Newcomers {
  readonly #addresses = new Set<string>()
  readonly #config: Rules
  readonly #known: Set<string>

  private constructor(config: Rules, known: readonly RoleHolder[]) {
    this.#config = config
    this.#known = new Set(known.map(keyOf))
  }

  static async before(sql: Driver, config: Rules): Promise<Newcomers> {
    return new Newcomers(config, await withoutLimits(sql, (tx) => holdersOf(tx, config)))
  }

  /** Those since the last look, in the transaction that brought them. */
  async look(tx: Driver): Promise<number> {
    const newcomers = (await holdersOf(tx, this.#config)).filter((holder) => !this.#known.has(keyOf(holder)))
    for (const holder of newcomers) {
      this.#known.add(keyOf(holder))
      this.#addresses.add(holder.email)
    }
    return new Set(newcomers.map(({ id }) => id)).size
  }

  get addresses(): readonly string[] {
    return [...this.#addresses]
  }
}

/** The same source, none of whose users has a role of the platform. A run that wants them has read nothing of it. */
export const withoutPlatformRoles = (source: Source): Source => ({
  ...source,
  identity: `${source.identity} without roles`,
  async *read(position, mark) {
    for await (const item of source.read(position, mark)) yield withoutRole(item)
  },
})

function withoutRole(item: SourceItem): SourceItem {
  const { role, ...rest } = Object(item.record)
  return rest.type === 'user' && role !== undefined ? { ...item, record: rest } : item
}
