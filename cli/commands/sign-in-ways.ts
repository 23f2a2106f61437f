import { usageError } from '../output/cli-error.ts'

/** The flags of sign-in, as commander names them. */
export interface SignInOptions {
  readonly email?: string
  readonly passwordFile?: string
  readonly remember?: boolean
  readonly tokenFile?: string
  readonly provider?: string
  readonly device?: boolean
  readonly start?: boolean
  readonly resume?: string
  readonly open?: boolean
  readonly wait?: string
  readonly qr?: boolean
  readonly idTokenFile?: string
  readonly nonce?: string
  readonly oidc?: boolean
  readonly audience?: string
  readonly trust?: string
  readonly ifSignedIn?: string
  readonly label?: string
}

export type Way = 'machine' | 'token' | 'id-token' | 'resume' | 'start' | 'browser' | 'password'

type Flag = keyof SignInOptions

/** What makes it that way, and what may stand beside it; the first that is meant counts. */
const ways: readonly (readonly [way: Way, by: readonly Flag[], beside: readonly Flag[], what: string])[] = [
  ['machine', ['oidc'], ['idTokenFile', 'audience', 'trust', 'label'], '--oidc signs a machine in'],
  ['token', ['tokenFile'], [], '--token-file adopts a session as it is'],
  ['id-token', ['idTokenFile'], ['provider', 'nonce', 'label'], '--id-token-file signs in at once'],
  ['resume', ['resume'], ['wait', 'qr'], '--resume goes on with what was begun'],
  ['start', ['start'], ['provider', 'device', 'label'], '--start only begins'],
  ['browser', ['provider', 'device'], ['open', 'wait', 'qr', 'ifSignedIn', 'label'], 'A browser signs in by its page'],
  [
    'password',
    [],
    ['email', 'passwordFile', 'remember', 'ifSignedIn', 'label'],
    'Without --provider or --device a password signs in',
  ],
]

const help = 'postern sign-in --help'

/** Exit 2 where flags of different ways stand together. */
export function wayOf(options: SignInOptions): Way {
  // What a script gets from a variable that is not set: it meant one, and should not be let off with another.
  if (options.provider === '') throw usageError('Provider is needed', help, ['--provider'])
  const given = (Object.keys(options) as Flag[]).filter((flag) => isGiven(options, flag))
  for (const [way, by, beside, what] of ways) {
    if (by.length > 0 && !by.some((flag) => given.includes(flag))) continue
    const foreign = given.filter((flag) => !by.includes(flag) && !beside.includes(flag)).map((flag) => flagNames[flag])
    if (foreign.length === 0) return way
    throw usageError(`${what}: no ${foreign.join(' or ')} with it`, help, foreign)
  }
  return 'password'
}

/** A password is remembered unless it is said otherwise. */
const isGiven = (options: SignInOptions, flag: Flag): boolean =>
  flag === 'remember' ? options.remember === false : options[flag] !== undefined

const flagNames: Readonly<Record<Flag, string>> = {
  email: '--email',
  passwordFile: '--password-file',
  remember: '--no-remember',
  tokenFile: '--token-file',
  provider: '--provider',
  device: '--device',
  start: '--start',
  resume: '--resume',
  open: '--open',
  wait: '--wait',
  qr: '--qr',
  idTokenFile: '--id-token-file',
  nonce: '--nonce',
  oidc: '--oidc',
  audience: '--audience',
  trust: '--trust',
  ifSignedIn: '--if-signed-in',
  label: '--label',
}
