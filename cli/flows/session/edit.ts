import { maxLabelLength } from '../../../shared/text-rules.ts'
import { type CurrentUser, optionalUser } from '../account/me.ts'
import type { Flow } from '../flow.ts'
import { type ListedSession, sessionFields, withoutToken } from './sessions.ts'

const fields = {
  label: {
    kind: 'text',
    label: 'Label',
    flag: '--label <label>',
    example: 'build-server',
    summary: 'what the list of sessions calls this device; empty removes it',
    isOptional: true,
    check: (label: string) =>
      label.length > maxLabelLength ? `expected at most ${maxLabelLength} characters` : undefined,
  },
} as const

export const editSession: Flow<CurrentUser | undefined, typeof fields, unknown, ListedSession> = {
  command: 'session edit',
  summary: 'Change the label of the current session',
  title: 'Label this device',
  isEdit: true,
  subject: optionalUser,
  fields,
  call: '/update-session',
  answer: sessionFields,
  examples: ['--label build-server', '--label ""'],
  run: async (context, _, { label }) => {
    const { api } = await context.signedIn()
    const { session } = await api.session.updateSession({ label: label ?? '' })
    const sentence =
      session.label === null ? 'Removed the label of this session' : `Labelled this session ${session.label}`
    return { sentence, status: 'updated', resource: withoutToken(session, true) }
  },
}
