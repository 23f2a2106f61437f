import { Argument, type Command } from 'commander'
import { about } from '../../argv/about.ts'
import { completeWith } from '../../argv/completer.ts'
import type { Context } from '../../context.ts'
import { revokeUserSession, revokeUserSessions } from '../../flows/admin/revoke-sessions.ts'
import { pickUserSession, sessionsOfUser, userSessionIds, userSessionList } from '../../flows/admin/sessions.ts'
import { findUser } from '../../flows/admin/users.ts'
import { commandWith } from '../../flows/command-line.ts'
import { usageError } from '../../output/cli-error.ts'
import { bulkFields, runBulk } from '../bulk.ts'
import { factsOf, performOne, wordsOf } from '../flow-command.ts'
import { flowPortsOf } from '../flow-ports.ts'
import { linesOf } from '../stdin-lines.ts'

const which = ['ID…', '--all']

export const userSessionRevokeCommand = (context: Context): Command => {
  const ids = new Argument('[id...]', 'their ids, as admin session list shows them; - reads ids from stdin, one a line')
  const command = wordsOf(revokeUserSession)
    .addArgument(completeWith(ids, userSessionIds))
    .option('--all', 'every session of that user')
    .action((word: string, ids: string[], { all }: { all?: boolean }) => {
      if (ids.length > 0 === Boolean(all))
        throw usageError(
          `Say which sessions: one of ${which.join(', ')}`,
          commandWith(userSessionList, [], { given: { user: word } }),
          which,
        )
      return all ? revokeEvery(context, command) : revokeEach(context, word, ids)
    })
  return about(command, { ...factsOf(revokeUserSession), form: 'bulk', fields: bulkFields })
}

async function revokeEvery(context: Context, command: Command): Promise<void> {
  const { sentence, status } = await performOne(context, revokeUserSessions, command)
  context.out.bulk([{ input: 'all', status, error: null }], { sentence })
}

async function revokeEach(context: Context, word: string, ids: readonly string[]): Promise<void> {
  const ports = flowPortsOf(context)
  const connection = await ports.signedIn()
  const inputs = await linesOf(context.host.stdin, ids)
  const user = await findUser(connection, word, 'session:revoke')
  const sessions = await sessionsOfUser(connection, user)
  await runBulk(context, inputs, async (id) => {
    const subject = { user, session: pickUserSession(sessions, id, user) }
    const { status, resource } = await revokeUserSession.run(ports, subject, {})
    return { status, id: resource.id }
  })
}
