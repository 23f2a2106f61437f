import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { bulkFields } from '../bulk.ts'
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
      .option(
        '--exit-code',
        'with --dry-run: 0 where everything is as the document says, 13 where something would change',
      )
      .option('--prune', 'also remove members, invitations and teams that are not listed; --confirm repeats the slug')
      .action(async (options: ApplyOptions) => {
        const { applyDocument } = await import('./document/apply.ts')
        await applyDocument(context, options)
      }),
    {
      form: 'bulk',
      fields: { ...bulkFields, kind: 'text', action: 'text', changes: 'list' },
      counts: ['changed'],
      examples: [
        '-f acme.yaml --dry-run',
        '-f acme.yaml --dry-run --exit-code --json=input,action',
        '-f acme.yaml',
        '-f acme.yaml --prune --confirm acme',
        "postern org export acme | sed 's/acme/globex/' | postern org apply -f -",
      ],
    },
  )
