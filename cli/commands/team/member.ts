import { Command } from 'commander'
import type { Team } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { runBulk } from '../bulk.ts'
import {
  type ListedMember,
  listAllMembers,
  listedMember,
  memberColumns,
  memberFields,
  pickMember,
  userArgument,
} from '../member/members.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { linesOf } from '../stdin-lines.ts'
import { findTeam, teamArgument } from './teams.ts'

interface Options {
  readonly team?: string
}

const teamOption = ['--team <team>', `the team: ${teamArgument}`] as const
const users = ['<user...>', `${userArgument}; - reads them from stdin, one a line`] as const
const bulkFields = { input: 'text', status: 'text', id: 'text?', error: 'any' } as const

export const teamMemberCommand = (context: Context): Command =>
  noun('member', { summary: 'Who is in a team', plural: 'members' }, [
    listCommand(context),
    addCommand(context),
    removeCommand(context),
  ])

const listCommand = (context: Context): Command =>
  about(
    new Command('list')
      .description('The members of a team')
      .option(...teamOption)
      .action(async (options: Options) => {
        const { connection, team } = await open(context, options, 'list --team Design')
        const members = await connection.api.team.listTeamMembers({ teamId: team.id })
        await context.out.list(members.map(listedMember), memberColumns, { empty: `Nobody is in ${team.name}` })
      }),
    { form: 'list', fields: memberFields, examples: ['postern team member list --team Design'] },
  )

const addCommand = (context: Context): Command =>
  about(
    new Command('add')
      .description('Put members of the organization into a team; who is in another one moves')
      .argument(...users)
      .option(...teamOption)
      .action((words: string[], options: Options) => add(context, words, options)),
    {
      form: 'bulk',
      writes: true,
      fields: bulkFields,
      examples: [
        'postern team member add ben@example.com --team Design',
        'postern team member add - --team Design --json < addresses.txt',
      ],
    },
  )

const removeCommand = (context: Context): Command =>
  about(
    new Command('remove')
      .description('Take members out of a team; they stay in the organization')
      .argument(...users)
      .option(...teamOption)
      .action((words: string[], options: Options) => remove(context, words, options)),
    {
      form: 'bulk',
      writes: true,
      fields: bulkFields,
      examples: ['postern team member remove ben@example.com --team Design'],
    },
  )

async function add(context: Context, words: readonly string[], options: Options): Promise<void> {
  const inputs = await linesOf(context.host.stdin, words)
  const { connection, team, members } = await openWithMembers(context, options, `add ${words.join(' ')} --team Design`)
  await runBulk(context, inputs, async (input) => {
    const { id, userId, teamId } = pickMember(members, input)
    if (teamId === team.id) return { status: 'unchanged', id }
    await connection.api.team.addTeamMember({ teamId: team.id, userId })
    return { status: 'updated', id }
  })
}

async function remove(context: Context, words: readonly string[], options: Options): Promise<void> {
  const inputs = await linesOf(context.host.stdin, words)
  const opened = await openWithMembers(context, options, `remove ${words.join(' ')} --team Design`)
  await runBulk(context, inputs, async (input) => {
    const { id, userId } = pickMember(opened.members, input)
    await opened.connection.api.team.removeTeamMember({ teamId: opened.team.id, userId })
    return { status: 'updated', id }
  })
}

interface Opened {
  readonly connection: Connection
  readonly team: Team
}

async function open(context: Context, options: Options, ready: string): Promise<Opened> {
  const question = { flag: '--team', label: 'Team', value: options.team }
  const { team: word } = await context.ask({ team: question }, `postern team member ${ready}`)
  const connection = await context.connectSignedIn()
  const team = await findTeam(connection, await organizationIdOf(context, connection), word)
  return { connection, team }
}

async function openWithMembers(
  context: Context,
  options: Options,
  ready: string,
): Promise<Opened & { readonly members: readonly ListedMember[] }> {
  const opened = await open(context, options, ready)
  return { ...opened, members: await listAllMembers(opened.connection, opened.team.organizationId) }
}
