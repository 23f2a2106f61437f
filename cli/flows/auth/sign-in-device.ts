import type { User } from '../../../shared/entities.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { providerField, waitingFields, waitOf } from '../device/fields.ts'
import { finishDevice, openLocalSignIn } from '../device/finish.ts'
import { startDevice } from '../device/start.ts'
import type { ValuesOf } from '../field.ts'
import { type Flow, type FlowResult, noSubject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'

const fields = { provider: providerField, server: serverField, ...waitingFields } as const

export const signInOnDevice: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in --device',
  summary: 'Sign in with a browser, here or on another device, and store the session on this machine',
  title: 'Sign in with a browser',
  isForAnyone: true,
  subject: noSubject,
  fields,
  call: '/device/code',
  answer: userFields,
  examples: ['--provider github', '--device --no-open --qr'],
  run: (context, _, values) => signInInBrowser(context, values, context.browser.isHere),
}

/**
 * Prints an address and a code, and waits. `opens`: also opens a page on this machine, by a separate request. Only this
 * machine can get its session, so the code in that address is safe to trust.
 */
export async function signInInBrowser(
  context: FlowContext,
  { server, provider, wait, qr }: ValuesOf<typeof fields>,
  opens: boolean,
): Promise<FlowResult<User>> {
  const wanted = { server, provider: provider || undefined }
  const { ticket } = await startDevice(context, wanted)
  // Waits one interval before the first poll: nobody can have approved yet, and early polls lengthen the interval.
  const patient = { ...ticket, pollAfter: context.now() + ticket.interval }
  const name = await context.tickets.keep(patient)
  const here = opens ? await openLocalSignIn(context, wanted) : undefined
  const title = provider ? `${signInOnDevice.title}, with ${provider}` : signInOnDevice.title
  return finishDevice(context, { name, ticket: patient }, { title, wait: waitOf(wait), hasPicture: qr, here })
}
