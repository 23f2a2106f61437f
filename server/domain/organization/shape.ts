import type { Config } from '../../config.ts'

/** A service without teams does not speak of them. */
export function shape<T extends { readonly teamId?: string | null | undefined }>({ TEAMS }: Config, row: T): T {
  if (TEAMS) return row
  const { teamId: _, ...rest } = row
  return rest as T
}
