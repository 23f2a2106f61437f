import { offeredWords, providerProblem, waitingFields } from '../device/fields.ts'
import type { ValuesOf } from '../field.ts'

const addFields = {
  provider: {
    kind: 'text',
    label: 'Provider',
    argument: '[provider]',
    summary: 'google, github, … as the service has it',
    complete: offeredWords,
    check: providerProblem,
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
