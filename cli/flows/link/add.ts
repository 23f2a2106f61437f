import { exitCodes } from '../../../shared/exit-codes.ts'
import { nameOfProvider } from '../../../shared/providers.ts'
import { ownPage } from '../../browser/loopback.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import { knownProviders, waitingFields, waitOf } from '../device/fields.ts'
import { clientId } from '../device/start.ts'
import type { ValuesOf } from '../field.ts'
import { type Done, type Flow, noSubject } from '../flow.ts'
import type { Ports } from '../ports.ts'
import { type LinkedAccount, labelOf, linkedAccountFields } from './accounts.ts'
import { pollUntilLinked } from './poll.ts'

const fields = {
  provider: {
    kind: 'text',
    label: 'Provider',
    argument: '<provider>',
    summary: 'google, github, … as the service has it',
    complete: knownProviders,
    check: (text: string) =>
      /^[a-z0-9_-]{1,64}$/.test(text) ? undefined : 'A provider is a word like google or github',
  },
  ...waitingFields,
} as const

/** The same way as a sign-in in a browser: the account is shown there, and nobody is signed in by it. */
export const addLink: Flow<undefined, typeof fields, unknown, LinkedAccount> = {
  command: 'account link add',
  summary: 'Link an account at a provider, in a browser here or elsewhere',
  title: 'Link an account',
  writes: true,
  needsSession: true,
  subject: noSubject,
  fields,
  call: '/device/link',
  answer: linkedAccountFields,
  examples: ['google', 'github --qr --wait 2m'],
  run: (ports, _, values) => linkInBrowser(ports, values, ports.browser.isHere),
}

/** Prints an address and a code, and waits. `opens`: the page is opened on this machine too. */
export async function linkInBrowser(
  ports: Ports,
  { provider, wait, qr }: ValuesOf<typeof fields>,
  opens: boolean,
): Promise<Done<LinkedAccount>> {
  const { api, server } = await ports.signedIn()
  const started = await api.link.startDeviceLink({ client_id: clientId, provider }).catch((cause: unknown) => {
    throw explained(toCliError(cause), provider)
  })
  const until = ports.now() + Math.min(waitOf(wait), 1000 * started.expires_in)
  const url = ownPage(started.verification_uri, server)
  // The code is typed there all the same: what fills it in by itself could be a link that a stranger sent.
  const opened = opens && (await ports.browser.open(url)) ? {} : undefined
  const name = nameOfProvider(provider)
  const title = `${addLink.title} at ${name}`
  const task = { title, url, code: started.user_code, opened, until, hasPicture: qr }
  const again = commandWith(addLink, [], { given: { provider } })
  const linked = await ports.waitFor(task, (waiting) =>
    pollUntilLinked(ports, api, { started, provider: name, again, until }, waiting),
  )
  return { sentence: `Linked ${labelOf(linked)}`, status: 'created', resource: linked }
}

/** One that is not set up, or that nobody has heard of. */
const explained = (error: CliError, provider: string): CliError =>
  error.code === 'PROVIDER_NOT_FOUND' || error.code === 'VALIDATION_ERROR'
    ? new CliError(exitCodes.notFound, `This service has no sign-in with ${provider}`, {
        code: 'PROVIDER_NOT_FOUND',
        hint: 'Ask who runs it, or link another provider',
        fields: ['PROVIDER'],
      })
    : error
