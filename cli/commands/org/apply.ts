import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { ApplyOptions } from './document/apply.ts'

export const orgApplyCommand = (context: Context): Command =>
  about(
    new Command('apply')
      .description('Make an organization what a document says; whoever is not a member yet is invited')
      .requiredOption(
        '-f, --file <file>',
        'YAML or JSON, as org export writes it and schema org describes it; - for stdin',
      )
      .option('--dry-run', 'say what would be done, and do nothing')
      .option('--prune', 'also remove members, invitations and teams that are not listed; --confirm repeats the slug')
      .action(async (options: ApplyOptions) => {
        const { applyDocument } = await import('./document/apply.ts')
        await applyDocument(context, options)
      }),
    {
      form: 'bulk',
      fields: { input: 'text', kind: 'text', action: 'text', changes: 'list', status: 'text', error: 'any' },
      examples: [
        'postern org apply -f acme.yaml --dry-run',
        'postern org apply -f acme.yaml',
        'postern org apply -f acme.yaml --prune --confirm acme',
        "postern org export acme | sed 's/acme/globex/' | postern org apply -f -",
      ],
    },
  )
