import { Command } from 'commander'
import { isLoopback } from '../../../shared/loopback.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { ListPart } from '../../flows/listing.ts'
import type { OutboxMail } from '../../local/local.ts'
import type { Column } from '../../output/cell.ts'
import { usageError } from '../../output/cli-error.ts'
import type { FieldType } from '../../output/json.ts'
import { commandLine } from '../../output/shell-line.ts'
import { countText } from '../../output/words.ts'
import { refuseEnds } from '../endless.ts'
import { type Arrangement, addArrangementFlags, addColumnsFlag, arrangerOf } from '../list-flags.ts'
import { isPartial, moreNote, partOf, showPart } from '../list-part.ts'

export const devCommand = (context: Context): Command =>
  noun('dev', { summary: 'Tools for a service in development' }, [devMailCommand(context)])

const columns: readonly Column<OutboxMail>[] = [
  { header: 'Mail', value: (mail) => mail.subject },
  { header: 'To', value: (mail) => mail.to },
  { header: 'Written', value: (mail) => mail.createdAt },
  { header: 'Given up', value: ({ parkedAt, heldAt }) => (heldAt ? null : parkedAt) },
  { header: 'Link', value: (mail) => mail.url },
  { header: 'Held', value: (mail) => mail.heldAt },
]

const fields = {
  id: 'text',
  kind: 'text',
  to: 'text',
  subject: 'text',
  text: 'text',
  url: 'text?',
  token: 'text?',
  createdAt: 'date',
  attempts: 'number',
  parkedAt: 'date?',
  heldAt: 'date?',
} satisfies Record<keyof OutboxMail, FieldType>

const empty = 'No mails'

interface Options extends Arrangement {
  readonly follow?: boolean
}

const devMailCommand = (context: Context): Command =>
  describeCommand(
    addArrangementFlags(addColumnsFlag(new Command('mail')))
      .description('Mails in the outbox of the service on this machine, newest last; uses the settings of that service')
      .option('--follow', 'also show new mails, until Ctrl+C')
      .action(async ({ follow, ...arrangement }: Options) =>
        follow ? followMails(context, arrangement) : listMails(context, arrangement),
      ),
    {
      form: 'list',
      fields,
      ends: ['failure', 'network'],
      examples: ['', '--follow', '--json=to,url'],
    },
  )

async function listMails(context: Context, arrangement: Arrangement): Promise<void> {
  const arrange = arrangerOf(fields, arrangement)
  const { devMail } = await import('../../local/local.ts')
  await checkUrl(context, commandLine('postern', 'dev', 'mail'))
  const mails: OutboxMail[] = []
  const unreadable = new Map<string, number>()
  const onUnreadable = (reason: string) => void unreadable.set(reason, (unreadable.get(reason) ?? 0) + 1)
  for await (const mail of devMail(context.host, { follow: false, onUnreadable })) mails.push(mail)
  // Unless they are sorted, the newest are shown, as without a limit last.
  if (arrange && arrangement.sort === undefined) {
    const { items, ...page } = arrange(partOf(mails.toReversed()))
    await show(context, { ...page, items: items.toReversed() })
  } else await show(context, arrange?.(partOf(mails)) ?? partOf(mails))
  for (const [reason, count] of unreadable) context.out.warn(unreadableNote(reason, count))
  await noteSource(context)
}

const unreadableNote = (reason: string, count: number): string =>
  `${countText(count)} ${count === 1 ? 'mail is' : 'mails are'} not shown: ${reason}`

/**
 * Says which service the mails come from: this command cannot read the mails of another service, and their links would
 * lead elsewhere.
 */
async function noteSource({ host, out }: Context): Promise<void> {
  const { serviceHere } = await import('../../local/local.ts')
  const { address, data } = await serviceHere(host)
  out.note(
    `Read from ${data}, with the settings of ${host.cwd}, for a service at ${address}. For a service with other settings (PORT, BASE_URL, DATA_DIR), run this in its folder or with its settings`,
  )
}

/**
 * Refuses when `--url` or the environment names another service, whose mails are not here. `plain`: the command line
 * without either.
 */
async function checkUrl({ host, settings }: Context, plain: string): Promise<void> {
  const { value, from } = settings.address
  if (from !== '--url' && from !== 'POSTERN_URL') return
  const { serviceHere } = await import('../../local/local.ts')
  const { address, origin, port } = await serviceHere(host)
  const asked = new URL(value.origin)
  if (value.origin === origin || (isLoopback(asked.hostname) && asked.port === String(port))) return
  const ready = from === 'POSTERN_URL' ? `unset ${from} && ${plain}` : plain
  throw usageError(
    `This command reads the mails of the service in ${host.cwd}, at ${address}, not those of ${value.origin}`,
    // With the port of another service the mails may be there, and their links lead nowhere.
    isLoopback(asked.hostname) && asked.port
      ? `Run it with the settings of that service: PORT=${asked.port} ${plain}`
      : `Run it where that service runs, with its settings. For the local service: ${ready}`,
    [from],
  )
}

async function followMails(context: Context, { sort, limit }: Arrangement): Promise<void> {
  refuseEnds(context, { sort, limit })
  const { devMail } = await import('../../local/local.ts')
  await checkUrl(context, commandLine('postern', 'dev', 'mail', '--follow'))
  await noteSource(context)
  const { signal } = context.host
  const onUnreadable = (reason: string) => context.out.warn(unreadableNote(reason, 1))
  for await (const mail of devMail(context.host, { follow: true, onUnreadable })) await show(context, partOf([mail]))
  signal.throwIfAborted()
}

/** People see one sheet per mail, because links have to be copied whole. */
async function show(context: Context, part: ListPart<OutboxMail>): Promise<void> {
  const { out } = context
  const { items } = part
  if (out.style.mode !== 'people') return showPart(context, part, { columns, id: undefined, empty })
  if (items.length === 0) out.note(empty)
  for (const mail of items) {
    await out.one(mail, columns)
    out.text('', mail)
  }
  if (isPartial(part)) out.note(moreNote(part))
}
