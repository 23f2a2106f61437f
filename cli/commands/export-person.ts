import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import { refuseRows } from '../argv/output-flag.ts'
import type { Connection } from '../client/connection.ts'
import type { Context } from '../context.ts'
import {
  type ExportedPerson,
  exportCalls,
  exportedFields,
  exportOwnData,
  exportUserData,
} from '../flows/admin/person-data.ts'
import { userArgument } from '../flows/admin/users.ts'

const about = { form: 'one', fields: exportedFields, needsSession: true, writes: true } as const

/** People get JSON too: a copy is for keeping, or for another service. */
async function print(context: Context, read: (connection: Connection) => Promise<ExportedPerson>): Promise<void> {
  refuseRows(context.flags)
  const person = await read(await context.connectSignedIn())
  context.out.text(`${JSON.stringify(person, undefined, 2)}\n`, person)
}

export const accountExportCommand = (context: Context): Command =>
  describeCommand(
    new Command('export')
      .description('All that the service keeps of the signed-in user, as JSON, without secrets')
      .action(() => print(context, exportOwnData)),
    { ...about, calls: [exportCalls.account, '/list-activity'], examples: ['> me.json', '--json=sessions,keys'] },
  )

export const userExportCommand = (context: Context): Command =>
  describeCommand(
    new Command('export')
      .description('All that the service keeps of a user, as JSON, without secrets; the audit trail records it')
      .argument('<user>', userArgument)
      .action((word: string) => print(context, (connection) => exportUserData(connection, word))),
    {
      ...about,
      calls: [exportCalls.user, '/admin/list-audit-events'],
      examples: ['ann@example.com > ann.json', 'ann@example.com --json=user,events'],
    },
  )
