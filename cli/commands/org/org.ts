import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { deleteOrganization } from '../../flows/org/delete.ts'
import { editOrganization } from '../../flows/org/edit.ts'
import { leaveOrganization } from '../../flows/org/leave.ts'
import { flowCommand } from '../flow-command.ts'
import { orgApplyCommand } from './apply.ts'
import { orgCreateCommand } from './create.ts'
import { orgExportCommand } from './export.ts'
import { orgListCommand } from './list.ts'
import { orgSlugCommand } from './slug.ts'
import { orgUseCommand } from './use.ts'
import { orgViewCommand } from './view.ts'

export const orgCommand = (context: Context): Command =>
  noun('org', { summary: 'Organizations', plural: 'orgs' }, [
    orgListCommand(context),
    orgCreateCommand(context),
    orgViewCommand(context),
    flowCommand(context, editOrganization),
    flowCommand(context, deleteOrganization),
    orgUseCommand(context),
    flowCommand(context, leaveOrganization),
    orgSlugCommand(context),
    orgExportCommand(context),
    orgApplyCommand(context),
  ])
