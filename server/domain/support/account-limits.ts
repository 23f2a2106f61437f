import type { User } from '../../../shared/entities.ts'
import type { Limit } from '../../db/limits.ts'
import type { Deps } from '../../deps.ts'
import { limitsOfPasswordTries, limitsOfUser } from '../limits.ts'
import { limitsOfMailsTo } from '../mails.ts'

/**
 * The limits that can hold one account back, in the order in which they are counted. Those of a device that is known to
 * the account are not among them: only that device has their name.
 */
export const limitsOfAccount = (deps: Deps, { id, email }: Pick<User, 'id' | 'email'>): readonly Limit[] => [
  ...limitsOfPasswordTries(deps, email),
  ...limitsOfUser(deps, id),
  ...limitsOfMailsTo(deps, email),
]
