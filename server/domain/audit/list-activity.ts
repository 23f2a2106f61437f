import type { listActivity as Call } from '../../../shared/contract/audit.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { readTrail } from './read-trail.ts'

export const listActivity = (deps: Deps, { user }: Caller, asked: Input<typeof Call>): Promise<Output<typeof Call>> =>
  readTrail(deps, { kind: 'person', userId: user.id }, asked)
