import { confirmDeletion } from '../../flows/account/confirm-deletion.ts'
import { deleteAccount } from '../../flows/account/delete.ts'
import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { signIn } from '../../flows/auth/sign-in.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { changeEmail } from '../../flows/email/set.ts'
import { verifyEmail } from '../../flows/email/verify.ts'
import { flagOf } from '../../flows/field.ts'
import { forgotPassword } from '../../flows/password/forgot.ts'
import { resetPassword } from '../../flows/password/reset.ts'
import { sessionList } from '../../flows/session/sessions.ts'

/** What every line of that flow begins with. */
const lineOf = ({ command }: { readonly command: string }): string => `postern ${command}`

/** Where the screens have what a command does; the more exact ones first. */
const hints: readonly (readonly [mention: string, said: string])[] = [
  ['postern …', 'Copy the whole link from the mail.'],
  ['--url', 'Name the server that sent the mail.'],
  [lineOf(sendVerification), 'Ask for a new mail: 2 has a form for it.'],
  [lineOf(verifyEmail), 'It verifies or changes an address: 2 has a form for it.'],
  [lineOf(changeEmail), 'Change the address once more: 4.'],
  [lineOf(forgotPassword), '“Forgot the password” (2) mails a new one.'],
  [lineOf(resetPassword), 'It sets a new password: 2 has a form for it.'],
  [flagOf(confirmDeletion.fields.link), 'It deletes an account: 4 has a form for it.'],
  [lineOf(deleteAccount), '“Delete the account” (4) mails a new one.'],
  [lineOf(sessionList), 'Revoke it from another sign-in: 3 lists the sessions.'],
  ['Nobody signs in with it here', 'Nobody signs in with it here: ask who runs the service.'],
  ['Its page offers all it has', 'Without a provider its page offers all it has.'],
  [lineOf(stopImpersonating), 'I stops acting as somebody else.'],
  [lineOf(signIn), '2 lists the accounts and signs in.'],
]

/** What a hint says to a person who has keys in place of a prompt. */
export function onScreen(hint: string): string {
  const said = hints.find(([mention]) => hint.includes(mention))?.[1]
  if (said === undefined) return hint
  // What was meant instead is worth as much here.
  const [question = ''] = /^Did you mean [^?]+\? /.exec(hint) ?? []
  return `${question}${said}`
}
