import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { teamCreateCommand } from './create.ts'
import { teamDeleteCommand } from './delete.ts'
import { teamEditCommand } from './edit.ts'
import { teamListCommand } from './list.ts'
import { teamMemberCommand } from './member.ts'

export const teamCommand = (context: Context): Command =>
  noun('team', { summary: 'Teams of an organization', plural: 'teams' }, [
    teamListCommand(context),
    teamCreateCommand(context),
    teamEditCommand(context),
    teamDeleteCommand(context),
    teamMemberCommand(context),
  ])
