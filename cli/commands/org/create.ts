import { Command, Option } from 'commander'
import type { Organization } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Connection } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { organizationFields, plain } from '../../flows/org/organizations.ts'
import { refusalFrom } from '../../output/failure.ts'
import { titleOf } from '../../sole-organizations.ts'
import { pictureOf } from '../picture.ts'
import { metadataOf, metadataOption } from './metadata.ts'

interface Options {
  readonly slug?: string
  readonly logo?: string
  readonly metadata?: string
  readonly ifExists: 'fail' | 'skip'
}

const ready = 'postern org create Acme --slug acme'

export const orgCreateCommand = (context: Context): Command =>
  about(
    new Command('create')
      .description('Create an organization, be its owner and make it the active one')
      .argument('<name>', 'its name')
      .option('--slug <slug>', 'its name in addresses and commands: letters, digits and dashes')
      .option('--logo <url>', 'address of its logo')
      .option(...metadataOption)
      .addOption(
        new Option('--if-exists <what>', 'where one of yours has that slug: fail, or skip and leave it as it is')
          .choices(['fail', 'skip'])
          .default('fail'),
      )
      .action((name: string, options: Options) => create(context, name, options)),
    {
      form: 'change',
      writes: true,
      fields: organizationFields,
      examples: [ready, `${ready} --metadata '{"plan":"pro"}'`, `${ready} --if-exists skip --json=id`],
    },
  )

async function create(context: Context, name: string, { slug: given, metadata, ifExists, ...options }: Options) {
  const logo = pictureOf('--logo', options.logo)
  const data = metadata === undefined ? undefined : await metadataOf(metadata)
  const { slug } = await context.ask({ slug: { flag: '--slug', label: 'Slug', value: given } }, ready)
  const connection = await context.connectSignedIn()
  const existing = ifExists === 'skip' ? await findMine(connection, slug) : undefined
  if (existing) return report(context, existing, 'unchanged')
  try {
    const made = await connection.api.organization.create({ name, slug, logo, metadata: data })
    report(context, made, 'created')
  } catch (error) {
    // Somebody of ours may have made it meanwhile.
    const twin = ifExists === 'skip' && isTaken(error) ? await findMine(connection, slug) : undefined
    if (!twin) throw error
    report(context, twin, 'unchanged')
  }
}

const findMine = async ({ api }: Connection, slug: string): Promise<Organization | undefined> =>
  (await api.organization.list()).find((organization) => organization.slug === slug.toLowerCase())

const isTaken = (error: unknown): boolean => refusalFrom(error).code === 'ORGANIZATION_ALREADY_EXISTS'

function report({ out }: Context, organization: Organization, status: 'created' | 'unchanged'): void {
  const title = titleOf(organization)
  const sentence = status === 'created' ? `Created ${title}, the active organization now` : `${title} exists already`
  out.done(sentence, { status, resource: plain(organization) })
}
