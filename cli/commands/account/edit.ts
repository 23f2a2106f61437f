import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../refusal.ts'
import { fullUserFields, requireSession, shownUser } from '../people.ts'
import { pictureOf } from '../picture.ts'

interface Options {
  readonly name?: string
  readonly image?: string
}

export const accountEditCommand = (context: Context): Command =>
  about(
    new Command('edit')
      .description('Change the name or the image of the signed-in user')
      .option('--name <name>', 'new name')
      .option('--image <url>', 'address of the new image; empty removes it')
      .action((options: Options) => edit(context, options)),
    {
      form: 'change',
      writes: true,
      fields: fullUserFields,
      examples: ['postern account edit --name "Alice Liddell"', 'postern account edit --image ""'],
    },
  )

async function edit(context: Context, { name, image: given }: Options): Promise<void> {
  const image = pictureOf('--image', given)
  if (name === undefined && image === undefined) {
    throw usage('Nothing to change', 'Give --name or --image', ['--name', '--image'])
  }
  const connection = await context.connectSignedIn()
  await connection.api.account.updateUser({
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image: image === '' ? null : image }),
  })
  const user = shownUser((await requireSession(context, connection)).user)
  context.out.done(`Updated ${user.email}`, { status: 'updated', resource: user })
}
