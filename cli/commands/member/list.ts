import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { listAllMembers, memberColumns, memberFields } from './members.ts'

export const memberListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The members of the organization').action(async () => {
      const connection = await context.connectSignedIn()
      const members = await listAllMembers(connection, await organizationIdOf(context, connection))
      await context.out.list(members, memberColumns, { empty: 'No members' })
    }),
    {
      form: 'list',
      fields: memberFields,
      examples: ['postern member list', 'postern member list --org acme --json=email,roles'],
    },
  )
