import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { findOrganization, organizationFields } from '../../flows/org/organizations.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal, usage } from '../../refusal.ts'
import { titleOf } from '../../sole-organizations.ts'

export const orgDeleteCommand = (context: Context): Command =>
  about(
    new Command('delete')
      .description('Delete an organization with everything in it; --confirm repeats its slug, --yes is not enough')
      .argument('<org>', 'id, slug or name')
      .action((word: string) => remove(context, word)),
    {
      form: 'change',
      writes: true,
      fields: organizationFields,
      examples: ['postern org delete acme', 'postern org delete acme --confirm acme'],
    },
  )

async function remove(context: Context, word: string): Promise<void> {
  const typed = await typedSlug(context, word)
  const connection = await context.connectSignedIn()
  const organization = await findOrganization(connection, word)
  if (typed !== organization.slug) throw otherSlug(context, organization.slug)
  await connection.api.organization.remove({ organizationId: organization.id }).catch(explain)
  context.out.done(`Deleted ${titleOf(organization)}`, { status: 'deleted', resource: organization })
}

/** Typed, not shown: nobody deletes an organization by a key too many. */
async function typedSlug(context: Context, word: string): Promise<string> {
  const label = `Type the slug of ${word} to delete it for good:`
  const questions = { confirm: { flag: '--confirm', label, value: context.flags.confirm } }
  return (await context.ask(questions, `postern org delete ${word} --confirm SLUG`)).confirm
}

function otherSlug({ flags }: Context, slug: string): Refusal {
  if (flags.confirm !== undefined) return usage(`--confirm has to be exactly ${slug}`, undefined, ['--confirm'])
  return new Refusal(exitCodes.cancelled, 'That is not its slug: nothing was deleted', { code: 'CANCELLED' })
}

/** A refusal without a word: the service deletes none. */
function explain(error: unknown): never {
  const { code, status } = refusalFrom(error)
  if (code !== 'FORBIDDEN') throw error
  throw new Refusal(exitCodes.forbidden, 'This service lets nobody delete an organization', {
    code,
    status,
    hint: 'Ask its owner',
    cause: error,
  })
}
