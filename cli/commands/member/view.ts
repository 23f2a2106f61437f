import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { listAllMembers, memberFields, memberSheet, pickMember, userArgument } from './members.ts'

export const memberViewCommand = (context: Context): Command =>
  about(
    new Command('view')
      .description('One member of the organization')
      .argument('<user>', userArgument)
      .action(async (word: string) => {
        const connection = await context.connectSignedIn()
        const members = await listAllMembers(connection, await organizationIdOf(context, connection))
        await context.out.one(pickMember(members, word), memberSheet)
      }),
    { form: 'one', fields: memberFields, examples: ['postern member view ann@example.com'] },
  )
