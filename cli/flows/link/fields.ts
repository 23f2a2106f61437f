import { offeredWords, waitingFields } from '../device/fields.ts'
import type { ValuesOf } from '../field.ts'

const addFields = {
  provider: {
    kind: 'text',
    label: 'Provider',
    argument: '[provider]',
    summary: 'google, github, … as the service has it',
    complete: offeredWords,
    check: (text: string) =>
      /^[a-z0-9_-]{1,64}$/.test(text) ? undefined : 'A provider is a word like google or github',
  },
  ...waitingFields,
} as const

export const resumeFields = {
  ticket: {
    kind: 'text',
    label: 'Ticket',
    flag: '--resume <ticket>',
    summary: 'continue a link that was started with --start or interrupted',
  },
  ...waitingFields,
} as const

/** How a link is asked for, and what it is called while it waits. */
export const linking = { command: 'account link add', title: 'Link an account', fields: addFields } as const

export type AddLinkValues = ValuesOf<typeof addFields>
export type ResumeLinkValues = ValuesOf<typeof resumeFields>
