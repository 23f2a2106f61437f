import { Command } from 'commander'
import { rolesIn } from '../../../shared/role-text.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { roleText } from '../../output/role-text.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { listAllMembers, memberFields, pickMember, userArgument } from './members.ts'

export const memberRoleCommand = (context: Context): Command =>
  noun('role', { summary: 'The roles of a member' }, [roleSetCommand(context)])

const roleSetCommand = (context: Context): Command =>
  about(
    new Command('set')
      .description('Give a member these roles and no others')
      .argument('<user>', userArgument)
      .argument('<role...>', 'roles of the service, see role list')
      .action((word: string, roles: string[]) => setRoles(context, word, roles)),
    {
      form: 'change',
      writes: true,
      fields: memberFields,
      examples: [
        'postern member role set ben@example.com admin',
        'postern member role set ben@example.com admin member',
      ],
    },
  )

async function setRoles(context: Context, word: string, words: readonly string[]): Promise<void> {
  const role = [...rolesIn(words.join(','))]
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(context, connection)
  const member = pickMember(await listAllMembers(connection, organizationId), word)
  const updated = await connection.api.member.updateMemberRole({ memberId: member.id, role, organizationId })
  const roles = updated.role
  const status = isSame(member.roles, roles) ? 'unchanged' : 'updated'
  context.out.done(`${member.email} is ${roleText(roles)}`, { status, resource: { ...member, roles } })
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((role) => other.includes(role))
