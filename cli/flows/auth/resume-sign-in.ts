import type { User } from '../../../shared/entities.ts'
import { usageError } from '../../output/cli-error.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { waitingFields, waitOf } from '../device/fields.ts'
import { finishDevice } from '../device/finish.ts'
import { signInOverError } from '../device/poll.ts'
import { resumeLine, resumeLinkLine } from '../device/start.ts'
import { isOfLink } from '../device/ticket.ts'
import { type Flow, noSubject } from '../flow.ts'

const fields = {
  ticket: {
    kind: 'text',
    label: 'Ticket',
    flag: '--resume <ticket>',
    summary: 'continue a sign-in that was started with --start or interrupted',
  },
  server: serverField,
  ...waitingFields,
} as const

export const resumeSignIn: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in',
  summary: 'Continue a sign-in that waits for a browser',
  title: 'Continue a sign-in',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/device/token',
  answer: userFields,
  examples: ['--resume TICKET --wait 0'],
  run: async (context, _, { ticket: name, server, wait, qr }) => {
    const ticket = await context.tickets.find(name)
    if (!ticket) throw signInOverError('finished, refused or given up, or has expired')
    if (isOfLink(ticket))
      throw usageError('This ticket is of a link, not of a sign-in', resumeLinkLine(name), ['--resume'])
    if (ticket.server !== server)
      throw usageError(`This sign-in was started at ${ticket.server}`, resumeLine(name, ['--url', ticket.server]), [
        '--resume',
      ])
    return finishDevice(context, { name, ticket }, { title: resumeSignIn.title, wait: waitOf(wait), hasPicture: qr })
  },
}
