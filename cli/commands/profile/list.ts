import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { profileColumns, profileFields, profileRow } from './fields.ts'

export const profileListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The profiles of this machine').action(async () => {
      const { profiles, profile } = context.config
      const rows = Object.entries(profiles).map(([name, stored]) => profileRow(name, stored, name === profile))
      const empty = 'No profiles yet: postern profile create work --url https://accounts.example.com'
      await context.out.list(rows, profileColumns, { empty, id: 'name' })
    }),
    { form: 'list', fields: profileFields, examples: [''] },
  )
