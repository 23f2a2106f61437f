import type { User } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { invalidHookAnswer, runBeforeHook } from '../hooks.ts'

/** How many members an organization and each of its teams may have. */
export const memberLimits = ({ MEMBERSHIP_LIMIT, MAXIMUM_MEMBERS_PER_TEAM }: Config) => ({
  limit: MEMBERSHIP_LIMIT,
  teamLimit: MAXIMUM_MEMBERS_PER_TEAM,
})

/**
 * How many organizations a user may be in, created or joined. The config file's function returns a number, true for
 * "limit reached", or false for the number in the settings.
 */
export async function organizationLimitOf({ config }: Deps, user: User): Promise<number> {
  const { organizationLimit } = config.extensions
  const asked = organizationLimit ? await runBeforeHook(organizationLimit, user) : false
  if (asked === true) throw new Failure('ORGANIZATION_LIMIT_REACHED')
  if (asked === false) return config.ORGANIZATION_LIMIT
  if (typeof asked !== 'number' || !Number.isSafeInteger(asked))
    throw invalidHookAnswer('organizationLimit', 'a whole number, true or false')
  return asked
}
