import { once } from 'node:events'
import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import type { FormFlags } from '../output/output-form.ts'
import { countText } from '../output/words.ts'

export const exportCommand = (context: Context): Command =>
  describeCommand(
    new Command('export')
      .description('Print everything that can be moved, for import')
      .option('--with-secrets', 'also password hashes, tokens of providers and sessions; never to a terminal')
      .action(({ withSecrets = false }: { readonly withSecrets?: boolean }) => runExport(context, withSecrets)),
    {
      form: 'none',
      fields: {},
      ends: ['failure', 'network'],
      examples: ['> users.ndjson', '--with-secrets > backup.ndjson', '| jq .email'],
    },
  )

/** The records are streamed unchanged, so that an import can read them. */
function refuseOtherForms({ output, template, jq }: FormFlags): void {
  const flag =
    template !== undefined
      ? '--template'
      : jq !== undefined
        ? '--jq'
        : ['csv', 'tsv', 'yaml'].includes(output ?? '')
          ? '--output'
          : undefined
  if (flag !== undefined)
    throw usageError(`An export is NDJSON, so ${flag} cannot be used`, 'postern export | jq .email', [flag])
}

async function runExport({ flags, host, out }: Context, withSecrets: boolean): Promise<void> {
  refuseOtherForms(flags)
  if (withSecrets && host.stdout.isTTY)
    throw usageError('Secrets are not shown on a terminal', 'postern export --with-secrets > backup.ndjson')
  const { exportRecords } = await import('../local/local.ts')
  host.heedTermination?.()
  const closed = new AbortController()
  host.stdout.once('error', () => closed.abort())
  const signal = AbortSignal.any([host.signal, closed.signal])
  const write = async (text: string) => {
    if (!host.stdout.write(text)) await once(host.stdout, 'drain', { signal })
  }
  const count = await exportRecords({ env: host.env, cwd: host.cwd, signal }, { withSecrets, write }).catch((error) => {
    // A reader that closed has what it wanted. Any other fault of stdout has been told, and fails the run.
    if (host.signal.aborted || !closed.signal.aborted) throw error
  })
  if (count !== undefined) out.note(`${countText(count)} ${count === 1 ? 'record' : 'records'}`)
}
