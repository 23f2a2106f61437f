import { Argument, Command } from 'commander'
import { about } from '../../argv/about.ts'
import { completeWith } from '../../argv/completer.ts'
import type { Context } from '../../context.ts'
import { organizationSlugs } from '../../flows/org/organizations.ts'

const summary = 'id, slug or name; default: --org, else the active one'

export const orgExportCommand = (context: Context): Command =>
  about(
    new Command('export')
      .description('An organization with its teams, members and invitations as a YAML document, for org apply')
      .addArgument(completeWith(new Argument('[org]', summary), organizationSlugs))
      .action(async (word: string | undefined) => {
        const { exportDocument } = await import('./document/export.ts')
        await exportDocument(context, word)
      }),
    {
      form: 'one',
      fields: { organization: 'any', teams: 'list', members: 'list', invitations: 'list' },
      examples: ['acme > acme.yaml', '--json=members'],
    },
  )
