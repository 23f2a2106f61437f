import { randomBytes } from 'node:crypto'

export const password = randomBytes(12).toString('base64url')

/** One step: a command line as a person would type it, and what its answer has to hold. */
export interface DemoStep {
  readonly says: string
  readonly args: readonly string[]
  /** Whose jar: two places to be signed in at, and one that has only a key. */
  readonly at: 'laptop' | 'server' | 'pipeline'
  /** The key that is sent with it. */
  readonly token?: string
  readonly input?: string
  readonly expects: RegExp
  readonly exitCode?: number
}

export const openingSteps: readonly DemoStep[] = [
  {
    says: 'A new account',
    at: 'laptop',
    args: ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Out and in again', at: 'laptop', args: ['sign-out'], expects: /sign/i },
  {
    says: 'with the password from standard input',
    at: 'laptop',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Who am I?', at: 'laptop', args: ['whoami'], expects: /ann@example\.com/ },
]

export const verifySteps = (link: string): readonly DemoStep[] => [
  {
    says: 'Its link verifies the address',
    at: 'laptop',
    args: ['account', 'email', 'verify', '-'],
    input: link,
    expects: /Verified ann@example\.com/,
  },
  {
    says: 'and so says the service',
    at: 'laptop',
    args: ['whoami', '--json=email,emailVerified'],
    expects: /"emailVerified":true/,
  },
]

export const twoSessionsSteps: readonly DemoStep[] = [
  {
    says: 'The same person, signed in elsewhere',
    at: 'server',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Both sessions', at: 'laptop', args: ['session', 'list'], expects: /\n?.+\n.+/ },
]

export const elsewhereSteps = (other: string): readonly DemoStep[] => [
  { says: 'The other session ends', at: 'laptop', args: ['session', 'revoke', other, '--yes'], expects: /./ },
  { says: 'and is refused from now on', at: 'server', args: ['whoami'], expects: /postern sign-in/, exitCode: 4 },
]

export const forgotStep: DemoStep = {
  says: 'The password is forgotten',
  at: 'server',
  args: ['account', 'password', 'forgot', '--email', 'ann@example.com'],
  expects: /a mail is on its way/,
}

export const resetSteps = (link: string, newPasswordFile: string): readonly DemoStep[] => [
  {
    says: 'Its link sets a new one, from a file',
    at: 'server',
    args: ['account', 'password', 'reset', '-', '--password-file', newPasswordFile],
    input: link,
    expects: /Set the new password/,
  },
  { says: 'which ended the session on the laptop', at: 'laptop', args: ['whoami'], expects: /sign-in/, exitCode: 4 },
  {
    says: 'In again with the new one',
    at: 'laptop',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', newPasswordFile],
    expects: /ann@example\.com/,
  },
]
