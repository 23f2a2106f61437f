import type { User } from '../../../shared/entities.ts'
import { serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { providerField, waitingFields, waitOf } from '../device/fields.ts'
import { finishDevice, openHere } from '../device/finish.ts'
import { startDevice } from '../device/start.ts'
import type { ValuesOf } from '../field.ts'
import { type Done, type Flow, noSubject } from '../flow.ts'
import type { Ports } from '../ports.ts'

const fields = { provider: providerField, server: serverField, ...waitingFields } as const

export const signInOnDevice: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-in --device',
  summary: 'Sign in in a browser, here or elsewhere, and keep the session on this machine',
  title: 'Sign in in a browser',
  writes: true,
  needsSession: false,
  subject: noSubject,
  fields,
  call: '/device/code',
  answer: userFields,
  examples: ['--provider github', '--device --no-open --qr'],
  run: (ports, _, values) => signInInBrowser(ports, values, ports.browser.isHere),
}

/**
 * Prints an address and a code, and waits. `opens`: a page is opened on this machine too, by a request of its own: its
 * session goes to nobody but this machine, so that the code in the address may be trusted there.
 */
export async function signInInBrowser(
  ports: Ports,
  { server, provider, wait, qr }: ValuesOf<typeof fields>,
  opens: boolean,
): Promise<Done<User>> {
  const wanted = { server, provider: provider || undefined }
  const { ticket } = await startDevice(ports, wanted)
  // Who polls before somebody can have approved only makes the interval longer.
  const patient = { ...ticket, pollAfter: ports.now() + ticket.interval }
  const name = await ports.tickets.keep(patient)
  const here = opens ? await openHere(ports, wanted) : undefined
  const title = provider ? `${signInOnDevice.title}, with ${provider}` : signInOnDevice.title
  return finishDevice(ports, { name, ticket: patient }, { title, wait: waitOf(wait), hasPicture: qr, here })
}
