import type { Command } from 'commander'
import type { Organization } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Done } from '../../flows/flow.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { toOrganization } from '../../flows/org/organizations.ts'
import { organizationTitle } from '../../flows/org/titles.ts'
import type { Ports } from '../../flows/ports.ts'
import { toCliError } from '../../output/error-report.ts'
import { factsOf, perform, wordsOf } from '../flow-command.ts'
import { ifExistsOption } from '../if-exists.ts'

const ifExists = ifExistsOption('where one of yours has that slug: fail, or skip and leave it as it is')

export function orgCreateCommand(context: Context): Command {
  const command = wordsOf(createOrganization)
    .addOption(ifExists)
    .action(() => perform(context, command.opts()['ifExists'] === 'skip' ? createOrSkip : createOrganization, command))
  return about(command, factsOf(createOrganization))
}

const createOrSkip: typeof createOrganization = {
  ...createOrganization,
  run: async (ports, subject, values) => {
    const existing = await findOwn(ports, values.slug)
    if (existing) return existing
    try {
      return await createOrganization.run(ports, subject, values)
    } catch (error) {
      // Somebody of ours may have made it meanwhile.
      const twin = isTaken(error) ? await findOwn(ports, values.slug) : undefined
      if (twin) return twin
      throw error
    }
  },
}

async function findOwn(ports: Ports, slug: string): Promise<Done<Organization> | undefined> {
  const { api } = await ports.signedIn()
  const found = (await api.organization.list()).find((organization) => organization.slug === slug.toLowerCase())
  return (
    found && {
      sentence: `${organizationTitle(found)} exists already`,
      status: 'unchanged',
      resource: toOrganization(found),
    }
  )
}

const isTaken = (error: unknown): boolean => toCliError(error).code === 'ORGANIZATION_ALREADY_EXISTS'
