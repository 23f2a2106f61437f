import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { requireSession } from '../people.ts'
import { type ListedMember, listAllMembers, listedMember, memberFields, memberSheet, pickMember } from './members.ts'

export const memberMeCommand = (context: Context): Command =>
  about(
    new Command('me').description('The signed-in user as a member of the organization').action(async () => {
      await context.out.one(await findSelf(context, await context.connectSignedIn()), memberSheet)
    }),
    { form: 'one', fields: memberFields, examples: ['postern member me', 'postern member me --org acme --json=roles'] },
  )

/** The service answers for the active organization only. */
async function findSelf(context: Context, connection: Connection): Promise<ListedMember> {
  const organizationId = await organizationIdOf(context, connection)
  if (organizationId === undefined) return listedMember(await connection.api.member.getActiveMember())
  const { user } = await requireSession(context, connection)
  return pickMember(await listAllMembers(connection, organizationId), user.id)
}
