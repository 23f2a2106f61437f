import type { FullUser } from '../../../shared/entities.ts'
import type { FlowConnection } from '../ports.ts'

/** Some users, and how many there are in all. */
export interface FoundUsers {
  readonly users: readonly FullUser[]
  readonly total: number
}

const page = '100'

/** The newest; with a text, those whose address or name has it. */
export async function searchUsers({ api }: Pick<FlowConnection, 'api'>, text: string): Promise<FoundUsers> {
  if (text === '') return api.admin.listUsers({ sortBy: 'createdAt', sortDirection: 'desc', limit: page })
  const fields = ['email', 'name'] as const
  const asked = fields.map((searchField) => api.admin.listUsers({ searchField, searchValue: text, limit: page }))
  const found = await Promise.all(asked)
  const users = [...new Map(found.flatMap((one) => one.users).map((user) => [user.id, user])).values()]
  return { users, total: Math.max(users.length, ...found.map(({ total }) => total)) }
}
