import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { organizationFields, organizationIdOf } from '../../flows/org/organizations.ts'
import { usage } from '../../refusal.ts'
import { titleOf } from '../../sole-organizations.ts'
import { pictureOf } from '../picture.ts'
import { metadataOf, metadataOption } from './metadata.ts'

interface Options {
  readonly name?: string
  readonly slug?: string
  readonly logo?: string
  readonly metadata?: string
}

const flags = ['--name', '--slug', '--logo', '--metadata']

export const orgEditCommand = (context: Context): Command =>
  about(
    new Command('edit')
      .description('Change name, slug, logo or metadata of an organization')
      .argument('[org]', 'id, slug or name; default: --org, else the active one')
      .option('--name <name>', 'new name')
      .option('--slug <slug>', 'new slug')
      .option('--logo <url>', 'address of the new logo; empty removes it')
      .option(metadataOption[0], `${metadataOption[1]}; takes the place of all of it, empty removes it`)
      .action((word: string | undefined, options: Options) => edit(context, word, options)),
    {
      form: 'change',
      writes: true,
      fields: organizationFields,
      examples: ['postern org edit --name "Acme Inc."', 'postern org edit acme --slug acme-inc --metadata @acme.json'],
    },
  )

async function edit(context: Context, word: string | undefined, options: Options): Promise<void> {
  const { name, slug, metadata } = options
  const logo = pictureOf('--logo', options.logo)
  if (Object.keys(options).length === 0) throw usage('Nothing to change', `Give ${flags.join(', ')}`, flags)
  const data = {
    name,
    slug,
    logo: logo === '' ? null : logo,
    metadata: metadata ? await metadataOf(metadata) : metadata === '' ? null : undefined,
  }
  const connection = await context.connectSignedIn()
  const organizationId = await organizationIdOf(connection, word ?? context.settings.organization.value)
  const resource = await connection.api.organization.update({ data, organizationId })
  context.out.done(`Updated ${titleOf(resource)}`, { status: 'updated', resource })
}
