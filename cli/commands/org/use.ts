import type { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import { factsOf, perform, wordsOf } from '../flow-command.ts'

export function orgUseCommand(context: Context): Command {
  const command = wordsOf(switchOrganization).action(async () => {
    await perform(context, switchOrganization, command)
    const { value, from } = context.settings.organization
    if (value !== undefined) context.out.warn(`${from} names ${value}, which comes before the active one`)
  })
  return about(command, factsOf(switchOrganization))
}
