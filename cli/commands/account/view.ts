import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { fullUserFields, requireSession, shownUser, userColumns } from '../people.ts'

export const accountViewCommand = (context: Context): Command =>
  about(
    new Command('view').description('The signed-in user').action(async () => {
      const user = shownUser((await requireSession(context, await context.connectSignedIn())).user)
      await context.out.one(user, userColumns)
    }),
    {
      form: 'one',
      fields: fullUserFields,
      examples: ['postern account view', 'postern account view --json=name,image'],
    },
  )
