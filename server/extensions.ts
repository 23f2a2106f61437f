import type { User } from '../shared/entities.ts'
import type { Message, Template } from './mail/message.ts'

/** What only a config file can give: functions. Each is awaited; a hook has five seconds. */
export interface Extensions {
  /** Sends mails in place of SMTP. When it throws, the mail is tried again later. */
  readonly sendMail?: (message: Message) => unknown
  /** The text of a mail by its kind, in place of ours. */
  readonly mailTemplates?: Readonly<Record<string, Template>>
  /** Throws to keep the user. */
  readonly beforeDeleteUser?: (user: User) => unknown
  readonly afterDeleteUser?: (user: User) => unknown
  readonly afterVerifyEmail?: (user: User) => unknown
  readonly afterResetPassword?: (user: User) => unknown
}
