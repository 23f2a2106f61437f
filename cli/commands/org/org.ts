import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { orgApplyCommand } from './apply.ts'
import { orgCreateCommand } from './create.ts'
import { orgDeleteCommand } from './delete.ts'
import { orgEditCommand } from './edit.ts'
import { orgExportCommand } from './export.ts'
import { orgLeaveCommand } from './leave.ts'
import { orgListCommand } from './list.ts'
import { orgSlugCommand } from './slug.ts'
import { orgUseCommand } from './use.ts'
import { orgViewCommand } from './view.ts'

export const orgCommand = (context: Context): Command =>
  noun('org', { summary: 'Organizations', plural: 'orgs' }, [
    orgListCommand(context),
    orgCreateCommand(context),
    orgViewCommand(context),
    orgEditCommand(context),
    orgDeleteCommand(context),
    orgUseCommand(context),
    orgLeaveCommand(context),
    orgSlugCommand(context),
    orgExportCommand(context),
    orgApplyCommand(context),
  ])
