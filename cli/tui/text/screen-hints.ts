/** Where the screens have what a command does; the more exact ones first. */
const hints: readonly (readonly [mention: string, said: string])[] = [
  ['postern …', 'Copy the whole link from the mail.'],
  ['--url', 'Name the server that sent the mail.'],
  ['postern account email verify --send', 'Ask for a new mail: 2 has a form for it.'],
  ['postern account email verify', 'It verifies or changes an address: 2 has a form for it.'],
  ['postern account email set', 'Change the address once more: 4.'],
  ['postern account password forgot', '“Forgot the password” (2) mails a new one.'],
  ['postern account password reset', 'It sets a new password: 2 has a form for it.'],
  ['postern account delete --token-file', 'It deletes an account: 4 has a form for it.'],
  ['postern account delete', '“Delete the account” (4) mails a new one.'],
  ['postern session list', 'Revoke it from another sign-in: 3 lists the sessions.'],
  ['Nobody signs in with it here', 'Nobody signs in with it here: ask who runs the service.'],
  ['Its page offers all it has', 'Without a provider its page offers all it has.'],
  ['postern sign-in', '2 lists the accounts and signs in.'],
]

/** What a hint says to a person who has keys in place of a prompt. */
export function onScreen(hint: string): string {
  const said = hints.find(([mention]) => hint.includes(mention))?.[1]
  if (said === undefined) return hint
  // What was meant instead is worth as much here.
  const [question = ''] = /^Did you mean [^?]+\? /.exec(hint) ?? []
  return `${question}${said}`
}
