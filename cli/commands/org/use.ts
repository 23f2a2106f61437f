import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { findOrganization, organizationFields } from '../../flows/org/organizations.ts'
import { titleOf } from '../../sole-organizations.ts'

export const orgUseCommand = (context: Context): Command =>
  about(
    new Command('use')
      .description('Make an organization the active one of this session')
      .argument('<org>', 'id, slug or name; - for none')
      .action((word: string) => use(context, word)),
    {
      form: 'change',
      writes: true,
      fields: organizationFields,
      examples: ['postern org use acme', 'postern org use -'],
    },
  )

async function use(context: Context, word: string): Promise<void> {
  const connection = await context.connectSignedIn()
  const chosen = word === '-' ? null : await findOrganization(connection, word)
  await connection.api.organization.setActive({ organizationId: chosen?.id ?? null })
  const sentence = chosen ? `Using ${titleOf(chosen)}` : 'Using no organization'
  context.out.done(sentence, { status: 'updated', resource: chosen ?? { id: null, name: null, slug: null } })
  const { value, from } = context.settings.organization
  if (value !== undefined) context.out.warn(`${from} names ${value}, which comes before the active one`)
}
