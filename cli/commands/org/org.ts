import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { organizationActivity } from '../../flows/org/activity.ts'
import { slugCheck } from '../../flows/org/check-slug.ts'
import { deleteOrganization } from '../../flows/org/delete.ts'
import { editOrganization } from '../../flows/org/edit.ts'
import { leaveOrganization } from '../../flows/org/leave.ts'
import { organizationList } from '../../flows/org/list.ts'
import { organizationSheet } from '../../flows/org/sheet.ts'
import { flowCommand } from '../flow-command.ts'
import { checkCommand, listCommand, viewCommand } from '../look-command.ts'
import { trailCommand } from '../trail-command.ts'
import { orgApplyCommand } from './apply.ts'
import { orgCreateCommand } from './create.ts'
import { orgExportCommand } from './export.ts'
import { orgUseCommand } from './use.ts'

export const orgCommand = (context: Context): Command =>
  noun('org', { summary: 'Organizations', plural: 'orgs' }, [
    listCommand(context, organizationList),
    orgCreateCommand(context),
    viewCommand(context, organizationSheet),
    flowCommand(context, editOrganization),
    flowCommand(context, deleteOrganization),
    orgUseCommand(context),
    flowCommand(context, leaveOrganization),
    noun('slug', { summary: 'Names of organizations in addresses and commands' }, [checkCommand(context, slugCheck)]),
    trailCommand(context, organizationActivity),
    orgExportCommand(context),
    orgApplyCommand(context),
  ])
