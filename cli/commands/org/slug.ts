import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'

export const orgSlugCommand = (context: Context): Command =>
  noun('slug', { summary: 'Names of organizations in addresses and commands' }, [slugCheckCommand(context)])

const slugCheckCommand = (context: Context): Command =>
  about(
    new Command('check')
      .description('Whether a slug is free; exit 7 when it is taken')
      .argument('<slug>', 'letters, digits and dashes')
      .action(async (slug: string) => {
        const { api } = await context.connectSignedIn()
        await api.organization.checkSlug({ slug })
        context.out.line(`${slug} is free`, { slug, free: true })
      }),
    { form: 'one', fields: { slug: 'text', free: 'flag' }, examples: ['postern org slug check acme'] },
  )
