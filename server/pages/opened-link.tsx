import type { ReactNode } from 'react'
import type { Failure } from '../../shared/failure.ts'
import type { Config } from '../config.ts'
import { anyOf, fill, type Words } from '../languages/words.ts'
import { commandAt, serviceBaseOf } from '../mail/links.ts'
import { formSentence, isOpenedFailure } from './landing-texts.ts'
import { Fact, Filled, renderPage } from './render.tsx'
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
  /** Those of them that are still on. */
  readonly usableProviders: readonly string[]
  /** Whether it can be claimed by a password. */
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

/** Asks whether the reader is who signed up, when a link was opened in another browser. Shows no password. */
export function renderOpenedLink(settings: Settings, words: Words, signUp: ShownSignUp, link: OpenedLink): string {
  const { MIN_PASSWORD_LENGTH: min, MAX_PASSWORD_LENGTH: max } = settings
  const { failure } = link
  const sentence = failure && sentenceOf(words, failure, { min, max })
  const { opened, language } = words
  const part = { settings, words, link }
  return renderPage(
    { title: opened.title, language },
    <>
      <p className="where">{settings.BASE_URL.host}</p>
      <h1>{opened.title}</h1>
      {sentence && <p role="alert">{sentence}</p>}
      <p>{fill(opened.said, { email: signUp.user.email })}</p>
      <Facts words={words} signUp={signUp} />
      <Claim {...part} signUp={signUp} />
      {settings.EMAIL_PASSWORD && settings.RESET_PASSWORD && <NewPassword {...part} />}
      {!signUp.isEstablished && <Removal {...part} />}
    </>,
  )
}

const sentenceOf = (
  words: Words,
  { failure, retryAfter }: Failure,
  bounds: { readonly min: number; readonly max: number },
): string | undefined =>
  isOpenedFailure(failure) ? words.opened.failures[failure] : formSentence(words, failure, { ...bounds, retryAfter })

interface FactsView {
  readonly words: Words
  readonly signUp: ShownSignUp
}

const Facts = ({ words: { opened }, signUp: { user, ipAddress, userAgent, providers } }: FactsView) => (
  <dl>
    <Fact name={opened.name}>{user.name}</Fact>
    <Fact name={opened.when}>{`${user.createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</Fact>
    <Fact name={opened.from}>{ipAddress ?? opened.unknown}</Fact>
    <Fact name={opened.with}>{userAgent ?? opened.unknown}</Fact>
    {providers.length > 0 && <Fact name={opened.through}>{providers.join(', ')}</Fact>}
  </dl>
)

interface Part {
  readonly settings: Settings
  readonly words: Words
  readonly link: OpenedLink
}

const Form = ({ settings, link, action, children }: Part & { action: string; children: ReactNode }) => (
  <form method="post" action={`${settings.BASE_PATH}/page/verify-email`}>
    <input type="hidden" name="token" value={link.token} />
    {link.callbackURL && <input type="hidden" name="callbackURL" value={link.callbackURL} />}
    <input type="hidden" name="action" value={action} />
    {children}
  </form>
)

/** Claims the sign-up by its password. Users who signed up through a provider prove it where they are signed in. */
const Claim = ({ signUp, ...part }: Part & { signUp: ShownSignUp }) => (
  <>
    <h2>{part.words.opened.mine}</h2>
    {signUp.hasPassword ? (
      <Form {...part} action="claim">
        <label>
          {part.words.opened.password}
          <input type="password" name="password" autoComplete="current-password" required />
        </label>
        <button type="submit">{part.words.opened.verify}</button>
      </Form>
    ) : (
      signUp.usableProviders.length > 0 && (
        <p>{fill(part.words.opened.signIn, { ways: anyOf(part.words, signUp.usableProviders) })}</p>
      )
    )}
    <p>
      <Filled
        text={part.words.opened.terminal}
        command={
          <code>{commandAt(serviceBaseOf(part.settings), `postern account email verify ${part.link.token}`)}</code>
        }
      />
    </p>
  </>
)

const NewPassword = (part: Part) => (
  <>
    <h2>{part.words.opened.take}</h2>
    <p>{part.words.opened.taking}</p>
    <Form {...part} action="take-over">
      <PasswordField
        words={part.words}
        label={part.words.password.new}
        name="newPassword"
        min={part.settings.MIN_PASSWORD_LENGTH}
        max={part.settings.MAX_PASSWORD_LENGTH}
      />
      <button type="submit" className="plain">
        {part.words.password.set}
      </button>
    </Form>
  </>
)

const Removal = (part: Part) => (
  <>
    <h2>{part.words.opened.notMine}</h2>
    <p>{part.words.opened.removing}</p>
    <Form {...part} action="remove">
      <button type="submit" className="plain">
        {part.words.opened.remove}
      </button>
    </Form>
  </>
)
