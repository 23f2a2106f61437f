import { isMachineAddress } from '../../../shared/email.ts'
import { commandLine } from '../../output/shell-line.ts'
import { flag } from '../flow.ts'

/** The command to sign in, for a particular account if known. */
export const signInLine = (email?: string | null): string =>
  email && isMachineAddress(email)
    ? 'postern sign-in --oidc --org ORG'
    : commandLine('postern', 'sign-in', ...flag('email', email ?? undefined))
