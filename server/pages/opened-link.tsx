import type { ReactNode } from 'react'
import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { commandAt, serviceBaseOf } from '../mail/links.ts'
import { formSentences } from './landing-texts.ts'
import { renderPage } from './render.tsx'
import { PasswordField } from './reset-password.tsx'

type Settings = Pick<
  Config,
  'BASE_URL' | 'BASE_PATH' | 'MIN_PASSWORD_LENGTH' | 'MAX_PASSWORD_LENGTH' | 'EMAIL_PASSWORD' | 'RESET_PASSWORD'
>

/** Who signed up, when, from where and how: what the owner of the mailbox needs to decide. */
export interface ShownSignUp {
  readonly user: { readonly email: string; readonly name: string; readonly createdAt: Date }
  readonly ipAddress: string | null
  readonly userAgent: string | null
  /** Display names. Passwords are not included. */
  readonly providers: readonly string[]
  readonly hasPassword: boolean
  /** Whether the account is in use and not just a sign-up. It cannot be removed then. */
  readonly isEstablished: boolean
}

export interface OpenedLink {
  readonly token: string
  readonly callbackURL: string | undefined
  /** Why the form is shown again. */
  readonly failure?: Failure
}

const sentences: typeof formSentences = {
  ...formSentences,
  WRONG_EMAIL_OR_PASSWORD: () => 'This is not the password of that sign-up.',
  ONLY_OWNER: () =>
    'This account owns an organization with other members, so it cannot be removed. Set a new password instead to make it yours.',
  LAST_ADMIN: () =>
    'This account is the only administrator, so it cannot be removed. Set a new password instead to make it yours.',
}

/** Asks whether the reader is who signed up, when a link was opened in another browser. Shows no password. */
export function renderOpenedLink(settings: Settings, signUp: ShownSignUp, opened: OpenedLink): string {
  const { MIN_PASSWORD_LENGTH: min, MAX_PASSWORD_LENGTH: max } = settings
  const { failure } = opened
  const sentence = failure && sentences[failure.failure]?.({ min, max, retryAfter: failure.retryAfter })
  return renderPage(
    'Did you sign up?',
    <>
      <p className="where">{settings.BASE_URL.host}</p>
      <h1>Did you sign up?</h1>
      {sentence && <p role="alert">{sentence}</p>}
      <p>Somebody signed up with your address {signUp.user.email}, in another browser or in a terminal:</p>
      <Facts signUp={signUp} />
      <Claim settings={settings} signUp={signUp} opened={opened} />
      {settings.EMAIL_PASSWORD && settings.RESET_PASSWORD && <NewPassword settings={settings} opened={opened} />}
      {!signUp.isEstablished && <Removal settings={settings} opened={opened} />}
    </>,
  )
}

const Facts = ({ signUp: { user, ipAddress, userAgent, providers } }: { signUp: ShownSignUp }) => (
  <dl>
    <Fact term="Name" value={user.name} />
    <Fact term="When" value={`${user.createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`} />
    <Fact term="From" value={ipAddress ?? 'no longer known'} />
    <Fact term="With" value={userAgent ?? 'no longer known'} />
    {providers.length > 0 && <Fact term="Through" value={providers.join(', ')} />}
  </dl>
)

const Fact = ({ term, value }: { term: string; value: string }) => (
  <div>
    <dt>{term}</dt>
    <dd>{value}</dd>
  </div>
)

interface Part {
  readonly settings: Settings
  readonly opened: OpenedLink
}

const Form = ({ settings, opened, action, children }: Part & { action: string; children: ReactNode }) => (
  <form method="post" action={`${settings.BASE_PATH}/page/verify-email`}>
    <input type="hidden" name="token" value={opened.token} />
    {opened.callbackURL && <input type="hidden" name="callbackURL" value={opened.callbackURL} />}
    <input type="hidden" name="action" value={action} />
    {children}
  </form>
)

/** Claims the sign-up by its password. Users who signed up through a provider prove it where they are signed in. */
const Claim = ({ settings, signUp, opened }: Part & { signUp: ShownSignUp }) => (
  <>
    <h2>It was me</h2>
    {signUp.hasPassword ? (
      <Form settings={settings} opened={opened} action="claim">
        <label>
          Your password
          <input type="password" name="password" autoComplete="current-password" required />
        </label>
        <button type="submit">Verify my address</button>
      </Form>
    ) : (
      <p>Sign in with {signUp.providers.join(' or ')} in this browser, then open the link in the mail again.</p>
    )}
    <p>
      Or in the terminal where you signed up:{' '}
      <code>{commandAt(serviceBaseOf(settings), `postern account email verify ${opened.token}`)}</code>
    </p>
  </>
)

const NewPassword = ({ settings, opened }: Part) => (
  <>
    <h2>It was not me, but I want this account</h2>
    <p>Set a new password. Whoever signed up is signed out and can no longer sign in.</p>
    <Form settings={settings} opened={opened} action="take-over">
      <PasswordField
        label="New password"
        name="newPassword"
        min={settings.MIN_PASSWORD_LENGTH}
        max={settings.MAX_PASSWORD_LENGTH}
      />
      <button type="submit" className="plain">
        Set the password
      </button>
    </Form>
  </>
)

const Removal = ({ settings, opened }: Part) => (
  <>
    <h2>It was not me</h2>
    <p>Remove the sign-up, with everything that belongs to it. This cannot be undone.</p>
    <Form settings={settings} opened={opened} action="remove">
      <button type="submit" className="plain">
        Remove the sign-up
      </button>
    </Form>
  </>
)
