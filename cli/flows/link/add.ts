import { type Flow, noSubject } from '../flow.ts'
import { type LinkedAccount, linkedAccountFields } from './accounts.ts'
import { linking, resumeFields } from './fields.ts'

/** Works like a browser sign-in, but nobody is signed in by it: the account is shown in the browser. */
export const addLink: Flow<undefined, typeof linking.fields, unknown, LinkedAccount> = {
  ...linking,
  summary: 'Link an account at a provider, in a browser here or elsewhere',
  subject: noSubject,
  call: '/device/link',
  answer: linkedAccountFields,
  examples: ['google', 'github --qr --wait 2m', 'google --start --json'],
  // Loaded when it runs: commands and menus only need to know that it is there.
  run: async (context, _, values) =>
    (await import('./in-browser.ts')).linkInBrowser(context, values, context.browser.isHere),
}

export const resumeLink: Flow<undefined, typeof resumeFields, unknown, LinkedAccount> = {
  command: addLink.command,
  summary: 'Continue a link that waits for a browser',
  title: 'Continue a link',
  subject: noSubject,
  fields: resumeFields,
  call: '/device/link/status',
  answer: linkedAccountFields,
  examples: ['--resume TICKET --wait 0'],
  run: async (context, _, values) => (await import('./in-browser.ts')).resumeInBrowser(context, values),
}
