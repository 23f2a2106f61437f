import type { Config } from '../config.ts'
import type { Words } from '../languages/words.ts'
import { commandAt, serviceBaseOf } from '../mail/links.ts'
import { renderPage } from './render.tsx'

/** The form of our ids. Other text is never shown. */
const invitationId = /^[A-Za-z0-9]{1,64}$/

/** Explains how to accept an invitation. The id alone reveals nothing about it. */
export function renderInvitation(
  config: Pick<Config, 'BASE_URL' | 'BASE_PATH'>,
  { invitation, language }: Words,
  id = '',
): string {
  const base = serviceBaseOf(config)
  const named = invitationId.test(id) ? id : 'ID'
  return renderPage(
    { title: invitation.title, language },
    <>
      <p className="where">{config.BASE_URL.host}</p>
      <h1>{invitation.heading}</h1>
      <p>{invitation.signIn}</p>
      <p>
        <code>{commandAt(base, 'postern sign-up')}</code>
      </p>
      <p>{invitation.accept}</p>
      <p>
        <code>{commandAt(base, `postern invitation accept ${named}`)}</code>
      </p>
    </>,
  )
}
