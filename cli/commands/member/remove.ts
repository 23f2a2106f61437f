import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { ownerRolesOf } from '../../organization-document/owner-roles.ts'
import { Refusal, usage } from '../../refusal.ts'
import { runBulk } from '../bulk.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { linesOf } from '../stdin-lines.ts'
import { type ListedMember, listAllMembers, pickMember, userArgument } from './members.ts'

export const memberRemoveCommand = (context: Context): Command =>
  about(
    new Command('remove')
      .description(
        'Remove members from the organization; --confirm repeats the address of an owner, --yes is not enough',
      )
      .argument('<user...>', `${userArgument}; - reads them from stdin, one a line`)
      .action((words: string[]) => remove(context, words)),
    {
      form: 'bulk',
      writes: true,
      fields: { input: 'text', status: 'text', id: 'text?', error: 'any' },
      examples: [
        'postern member remove ben@example.com',
        'postern member remove boss@example.com --confirm boss@example.com',
        'postern member remove - --org acme --yes --json < addresses.txt',
      ],
    },
  )

async function remove(context: Context, words: readonly string[]): Promise<void> {
  const inputs = await linesOf(context.host.stdin, words)
  const [only] = inputs.length === 1 ? inputs : []
  const { yes, confirm } = context.flags
  // A name can be compared only with who is found by the word.
  const isNamed = only !== undefined && confirm !== undefined && !yes
  const question = `Remove ${only ?? `${inputs.length} members`} from the organization?`
  if (!isNamed) await context.confirm(question, { ready: `postern member remove ${words.join(' ')} --yes` })
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const ownerRoles = ownerRolesOf(await connection.api.organization.listRoles())
  const members = await listAllMembers(connection, organizationId)
  await runBulk(context, inputs, async (input) => {
    const member = pickMember(members, input)
    if (member.roles.some((role) => ownerRoles.includes(role))) await confirmOwner(context, member)
    else if (isNamed && confirm !== input && confirm !== member.email) throw otherName(input)
    const { id } = member
    await connection.api.member.removeMember({ memberIdOrEmail: id, organizationId })
    return { status: 'deleted', id }
  })
}

/** Typed, not shown: nobody removes an owner by a key too many, nor along with others. */
async function confirmOwner(context: Context, { email }: ListedMember): Promise<void> {
  const { flags } = context
  const label = `${email} owns the organization. Type the address to remove this owner:`
  const questions = { confirm: { flag: '--confirm', label, value: flags.confirm } }
  const inOrg = flags.org === undefined ? '' : ` --org ${flags.org}`
  const { confirm } = await context.ask(questions, `postern member remove ${email}${inOrg} --confirm ${email}`)
  if (confirm === email) return
  if (flags.confirm !== undefined) throw otherName(email)
  throw new Refusal(exitCodes.cancelled, 'That is not the address: the owner stays', { code: 'CANCELLED' })
}

const otherName = (name: string) => usage(`--confirm has to be exactly ${name}`, undefined, ['--confirm'])
