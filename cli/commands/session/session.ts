import type { Command } from 'commander'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { commandWith } from '../../flows/command-line.ts'
import { editSession } from '../../flows/session/edit.ts'
import { revokeAll, revokeOthers, revokeSession } from '../../flows/session/revoke.ts'
import { sessionList, sessionView } from '../../flows/session/sessions.ts'
import { usageError } from '../../output/cli-error.ts'
import { statusOf } from '../dry-run.ts'
import { aboutFlow, bareFlowCommand, flowCommand, runFlow, runFlowOnce } from '../flow-command.ts'
import { allNeeds, needsOf } from '../needs.ts'
import { listCommand, viewCommand } from '../read-command.ts'

export const sessionCommand = (context: Context): Command =>
  noun('session', { summary: 'The sessions of the signed-in user', plural: 'sessions' }, [
    listCommand(context, sessionList),
    viewCommand(context, sessionView),
    flowCommand(context, editSession),
    sessionRevokeCommand(context),
  ])

interface Options {
  readonly others?: boolean
  readonly all?: boolean
  readonly csv?: string
}

const which = ['ID…', '--csv', '--others', '--all']

const sessionRevokeCommand = (context: Context): Command => {
  const command = bareFlowCommand(revokeSession)
    .option('--others', 'every session but the current one')
    .option('--all', 'every session, including the current one')
    .action((ids: string[], options: Options) => revoke(context, command, { ...options, ids }))
  const needs = allNeeds(needsOf(revokeAll), needsOf(revokeSession), needsOf(revokeOthers))
  return describeCommand(command, { ...aboutFlow(revokeSession), ...needs })
}

async function revoke(
  context: Context,
  command: Command,
  { ids, others, all, csv }: Options & { readonly ids: readonly string[] },
): Promise<void> {
  const isNamed = ids.length > 0 || csv !== undefined
  const chosen = [ids.length > 0, csv !== undefined, others, all].filter(Boolean).length
  if (chosen !== 1)
    throw usageError(`Choose the sessions with one of ${which.join(', ')}`, commandWith(sessionList), which)
  if (isNamed) return runFlow(context, revokeSession, command)
  const done = await runFlowOnce(context, all ? revokeAll : revokeOthers, command)
  const result = { input: all ? 'all' : 'others', ...statusOf(done), error: null }
  context.out.bulk([result], { sentence: done.sentence })
}
