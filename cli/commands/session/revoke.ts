import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../refusal.ts'
import { runBulk } from '../bulk.ts'
import { forgetHere } from '../kept-session.ts'
import { linesOf } from '../stdin-lines.ts'

interface Options {
  readonly others?: boolean
  readonly all?: boolean
}

const which = ['ID…', '--others', '--all']

export const sessionRevokeCommand = (context: Context): Command =>
  about(
    new Command('revoke')
      .description('End sessions of the signed-in user')
      .argument('[id...]', 'their ids, as session list shows them; - reads ids from stdin, one a line')
      .option('--others', 'every session but the current one')
      .option('--all', 'every session, the current one too')
      .action((ids: string[], options: Options) => revoke(context, ids, options)),
    {
      form: 'bulk',
      writes: true,
      fields: { input: 'text', status: 'text', error: 'any', sessions: 'text' },
      examples: [
        'postern session revoke 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c',
        'postern session revoke --others',
        'postern session list --quiet | postern session revoke - --json',
      ],
    },
  )

async function revoke(context: Context, ids: readonly string[], { others, all }: Options): Promise<void> {
  const chosen = [ids.length > 0, others, all].filter(Boolean).length
  if (chosen !== 1) throw usage(`Say which sessions: one of ${which.join(', ')}`, 'postern session list', which)
  if (ids.length > 0) return revokeEach(context, await linesOf(context.host.stdin, ids))
  if (all) return revokeAll(context)
  const { api } = await context.connectSignedIn()
  await api.session.revokeOtherSessions({})
  report(context, 'Revoked every other session', 'others')
}

async function revokeAll(context: Context): Promise<void> {
  const connection = await context.connectSignedIn()
  await context.confirm('Revoke every session, this one too?', { ready: 'postern session revoke --all --yes' })
  await connection.api.session.revokeSessions({})
  await forgetHere(context)
  report(context, 'Revoked every session, this one too', 'all')
}

async function revokeEach(context: Context, ids: readonly string[]): Promise<void> {
  const { api }: Connection = await context.connectSignedIn()
  await runBulk(context, ids, async (token) => {
    await api.session.revokeSession({ token })
    return 'deleted'
  })
}

const report = (context: Context, sentence: string, sessions: string): void =>
  context.out.done(sentence, { status: 'deleted', resource: { sessions } })
