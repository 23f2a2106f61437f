import type { Failure } from '../../shared/failure.ts'
import { knownLanguage } from '../../shared/languages.ts'
import type { Config } from '../config.ts'
import { fill, type Words } from '../languages/words.ts'
import { commandAt, serviceBaseOf } from '../mail/links.ts'
import { renderLanding } from './landing.tsx'
import { formSentence } from './landing-texts.ts'
import { Filled, renderPage } from './render.tsx'

type Settings = Pick<Config, 'BASE_URL' | 'BASE_PATH' | 'MIN_PASSWORD_LENGTH' | 'MAX_PASSWORD_LENGTH'>

export interface ResetForm {
  /** The token of the link. Text that cannot be one is not shown. */
  readonly token: string | undefined
  /** That of the mail, for the page that follows. */
  readonly lang: string | undefined
  /** Why the form is shown again. */
  readonly failure?: Failure
}

const looksLikeToken = (text: string): boolean => /^[A-Za-z0-9]{1,64}$/.test(text)

/** The form for a new password. It never shows a password, not even a refused one. */
export function renderResetForm(settings: Settings, words: Words, { token = '', lang, failure }: ResetForm): string {
  if (!looksLikeToken(token)) return renderLanding(serviceBaseOf(settings), words, 'reset', 'invalid_token')
  const { MIN_PASSWORD_LENGTH: min, MAX_PASSWORD_LENGTH: max } = settings
  const sentence = failure && formSentence(words, failure.failure, { min, max, retryAfter: failure.retryAfter })
  const { password, language } = words
  return renderPage(
    { title: password.title, language },
    <>
      <h1>{password.title}</h1>
      {sentence && <p role="alert">{sentence}</p>}
      <form method="post" action={`${settings.BASE_PATH}/page/reset-password`}>
        <input type="hidden" name="token" value={token} />
        {knownLanguage(lang) && <input type="hidden" name="lang" value={lang} />}
        <PasswordField words={words} label={password.new} name="newPassword" min={min} max={max} />
        <PasswordField words={words} label={password.repeat} name="newPasswordAgain" min={min} max={max} />
        <button type="submit">{password.set}</button>
      </form>
      <p>
        <Filled
          text={password.terminal}
          command={<code>{commandAt(serviceBaseOf(settings), `postern account password reset ${token}`)}</code>}
        />
      </p>
    </>,
  )
}

interface Field {
  readonly words: Words
  readonly label: string
  readonly name: string
  readonly min: number
  readonly max: number
}

// A maxlength would silently cut off a pasted password. A pattern refuses it, and counts as the rules do.
export const PasswordField = ({ words, label, name, min, max }: Field) => (
  <label>
    {label}
    <input
      type="password"
      name={name}
      autoComplete="new-password"
      required
      minLength={min}
      pattern={`.{${min},${max}}`}
      title={fill(words.password.bounds, { min, max })}
    />
  </label>
)
