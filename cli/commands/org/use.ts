import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import { flowCommand } from '../flow-command.ts'

export const orgUseCommand = (context: Context): Command =>
  flowCommand(context, switchOrganization, {
    options: [],
    around: (run) => async (ports, subject, values) => {
      const done = await run(ports, subject, values)
      const { value, from } = context.settings.organization
      if (value !== undefined) context.out.warn(`${from} names ${value}, which comes before the active one`)
      return done
    },
  })
