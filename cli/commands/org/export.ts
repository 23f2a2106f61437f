import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'

export const orgExportCommand = (context: Context): Command =>
  about(
    new Command('export')
      .description('An organization with its teams, members and invitations as a YAML document, for org apply')
      .argument('[org]', 'id, slug or name; default: --org, else the active one')
      .action(async (word: string | undefined) => {
        const { exportDocument } = await import('./document/export.ts')
        await exportDocument(context, word)
      }),
    {
      form: 'one',
      fields: { organization: 'any', teams: 'list', members: 'list', invitations: 'list' },
      examples: ['postern org export acme > acme.yaml', 'postern org export --json=members'],
    },
  )
