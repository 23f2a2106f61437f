import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { type ListedRole, listedRoles } from '../../flows/org/view.ts'
import { roleCheck } from '../../flows/role/check.ts'
import { createRole, deleteRole, editRole } from '../../flows/role/edit.ts'
import { roleList, roleView } from '../../flows/role/roles.ts'
import { flowCommand } from '../flow-command.ts'
import { createUnlessExists, ifExistsOption } from '../if-exists.ts'
import { checkCommand, listCommand, viewCommand } from '../read-command.ts'

export const roleCommand = (context: Context): Command =>
  noun('role', { summary: 'Roles in an organization: those of the service, and its own', plural: 'roles' }, [
    listCommand(context, roleList),
    viewCommand(context, roleView),
    checkCommand(context, roleCheck),
    createUnlessExists(context, createRole, { option: ifExists, find: findOwn }),
    flowCommand(context, editRole),
    flowCommand(context, deleteRole),
  ])

const ifExists = ifExistsOption('if the organization has a role of that name: fail, or skip and leave it unchanged')

async function findOwn(
  flowContext: FlowContext,
  { name }: { readonly name: string },
  choice: unknown,
): Promise<FlowResult<ListedRole> | undefined> {
  // The service accepts a name once, so that only who skips has to look.
  if (choice !== 'skip') return undefined
  const resource = (await listedRoles(flowContext)).find(({ role, own }) => own && role === name.toLowerCase())
  return resource && { sentence: `Role ${resource.role} exists already`, status: 'unchanged', resource }
}
