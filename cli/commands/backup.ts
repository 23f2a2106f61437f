import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { usageError } from '../output/cli-error.ts'
import { readSecret } from '../settings/secret.ts'

interface Options {
  readonly passphraseFile?: string
}

const passphraseFlag = '--passphrase-file <file>'

/** Short ones are guessed, whatever a guess costs. */
const shortest = 12

export const backupCommand = (context: Context): Command =>
  describeCommand(
    new Command('backup')
      .description("Write a backup of the service's database: one moment of it, while the service goes on")
      .argument('<file>', 'a new file, or - for stdout')
      .option(passphraseFlag, 'encrypt it: file that holds a passphrase, - for stdin')
      .action(async (file: string, options: Options) => {
        const passphrase = await passphraseIn(context, options)
        if (passphrase !== null && passphrase.length < shortest)
          throw usageError(`The passphrase is too short: use at least ${shortest} characters`, undefined, [
            '--passphrase-file',
          ])
        const { backUp } = await import('../local/backup.ts')
        const { tables, leftOut } = await backUp(context.host, file, passphrase)
        const resource = { file, encrypted: passphrase !== null, tables, rows: sumOf(tables), leftOut }
        const sentence = `Backed up ${rowsText(tables)}, to ${file === '-' ? 'stdout' : file}`
        if (file === '-') context.out.note(sentence)
        else context.out.done(sentence, { status: 'created', resource })
        if (leftOut.length > 0) context.out.note(`Left out, since the tables are not Postern's: ${leftOut.join(', ')}`)
      }),
    {
      form: 'change',
      fields: { file: 'text', encrypted: 'flag', tables: 'any', rows: 'number', leftOut: 'list' },
      ends: ['failure', 'network', 'conflict'],
      examples: [
        'postern.backup',
        'postern.backup --passphrase-file passphrase.txt',
        '- | gpg --encrypt --recipient ops > postern.gpg',
      ],
    },
  )

export const restoreCommand = (context: Context): Command =>
  describeCommand(
    new Command('restore')
      .description("Restore a backup into the service's database, which must be empty; all of it, or nothing")
      .argument('<file>', 'the file, or - for stdin')
      .option(passphraseFlag, 'file that holds the passphrase of the backup')
      .action(async (file: string, options: Options) => {
        if (file === '-' && options.passphraseFile === '-')
          throw usageError('stdin cannot hold both the backup and its passphrase', undefined, ['--passphrase-file'])
        const { restore } = await import('../local/backup.ts')
        const restored = await restore(context.host, file, await passphraseIn(context, options))
        const sentence = `Restored ${rowsText(restored.tables)}`
        context.out.done(sentence, { status: 'created', resource: { ...restored, rows: sumOf(restored.tables) } })
        if (restored.heldMails + restored.parkedWebhooks > 0) context.out.note(heldText)
      }),
    {
      form: 'change',
      fields: { tables: 'any', rows: 'number', heldMails: 'number', parkedWebhooks: 'number' },
      ends: ['failure', 'network', 'conflict', 'rejected'],
      examples: [
        'postern.backup',
        'DATABASE_URL=postgres://… postern restore postern.backup --passphrase-file passphrase.txt',
      ],
    },
  )

const heldText =
  'Waiting mails are held and webhooks are parked, since the original may still send. If this database replaces it: postern migrate --release-mails --resume-webhooks'

const passphrase = { name: '--passphrase-file', what: 'passphrase', inFile: '--passphrase-file FILE' }

const passphraseIn = async ({ host }: Context, { passphraseFile }: Options): Promise<string | null> =>
  passphraseFile === undefined ? null : readSecret(passphraseFile, passphrase, host)

const sumOf = (tables: Readonly<Record<string, number>>): number =>
  Object.values(tables).reduce((sum, count) => sum + count, 0)

const rowsText = (tables: Readonly<Record<string, number>>): string =>
  `${sumOf(tables)} rows, ${tables['users'] ?? 0} of them users`
