import type { Config } from '../config.ts'

interface Cookie {
  readonly line: string
  readonly name: string
  readonly value: string
  readonly maxAge: number | null
  readonly rest: string
  /** Removes the cookie that a browser kept from before COOKIE_DOMAIN. */
  readonly isHostOnlyRemoval: boolean
}

/** The settings that decide how cookies look. */
type Agreed = Pick<Config, 'BASE_URL' | 'COOKIE_DOMAIN' | 'COOKIE_SAME_SITE'>

type Rule = readonly [problem: string, isBroken: (cookie: Cookie, agreed: Agreed) => boolean]

const ours =
  /^(?:__Host-|__Secure-)?[A-Za-z0-9_-]+\.(?:session_token|session_data|dont_remember|known_device|device_claim|sign_up|position|admin_session|session_token_multi-[a-f0-9]{16}|state\.[A-Za-z0-9]{1,8})$/
/** Its name is better-auth's, and pages read it. */
const isForPages = (name: string): boolean => name === 'better-auth.last_used_login_method'
const maxLife = 34_560_000
const maxPairLength = 4096

/** Each names a broken rule: of RFC 6265bis, of our own attributes, or of the reference client's helper. */
const rules: readonly Rule[] = [
  ['is no cookie of ours', ({ name }) => !ours.test(name) && !isForPages(name)],
  ['has a value that some reader cuts', ({ value }) => /[;,\s"\\]/.test(value)],
  [
    'has a prefix that does not suit the address',
    ({ name, value }, agreed) => value !== '' && name.startsWith('__') !== (isSecure(agreed) && !isForPages(name)),
  ],
  ['is longer than browsers keep', ({ name, value }) => name.length + value.length + 1 > maxPairLength],
  ['lives longer than 400 days', ({ maxAge }) => maxAge !== null && !(maxAge <= maxLife)],
  ['keeps a host-only value', ({ isHostOnlyRemoval, value }) => isHostOnlyRemoval && value !== ''],
  ['is cleared by halves', ({ value, maxAge }) => (value === '') !== (maxAge === 0)],
  ['has other attributes than agreed', (cookie, agreed) => cookie.rest !== attributesOf(cookie, agreed)],
]

const isSecure = ({ BASE_URL }: Agreed): boolean => BASE_URL.protocol === 'https:'

function attributesOf({ name, isHostOnlyRemoval }: Cookie, agreed: Agreed): string {
  const { COOKIE_DOMAIN: domain, COOKIE_SAME_SITE } = agreed
  const isForRedirects = /\.(?:state\.[A-Za-z0-9]+|device_claim)$/.test(name)
  const sameSite = {
    lax: 'Lax',
    strict: isForRedirects ? 'Lax' : 'Strict',
    none: isForRedirects ? 'None' : 'None; Partitioned',
  }[COOKIE_SAME_SITE]
  const scope = domain === undefined || isHostOnlyRemoval ? '' : `; Domain=${domain}`
  return `${scope}; Path=/${isForPages(name) ? '' : '; HttpOnly'}${isSecure(agreed) ? '; Secure' : ''}; SameSite=${sameSite}`
}

/** Throws unless every line is as agreed, and one line a cookie. Every answer of the whole suite passes here. */
export function checkSetCookies(lines: readonly string[], agreed: Agreed): void {
  const cookies = lines
    .filter((line) => !removesForParent(line, agreed))
    .map((line, index) => parse(line, agreed.COOKIE_DOMAIN !== undefined && index % 2 === 0))
  for (const cookie of cookies)
    for (const [problem, isBroken] of rules)
      if (isBroken(cookie, agreed)) throw new Error(`A cookie ${problem}: ${cookie.line}`)
  const names = cookies.flatMap(({ name, isHostOnlyRemoval }) => (isHostOnlyRemoval ? [] : [name]))
  if (new Set(names).size !== names.length) throw new Error(`Set twice: ${lines.join('\n')}`)
  const removed = cookies.flatMap(({ name, isHostOnlyRemoval }) => (isHostOnlyRemoval ? [name] : []))
  if (removed.length > 0 && removed.join() !== names.join()) throw new Error(`Not removed: ${lines.join('\n')}`)
}

/** The line removes a cookie of another service, for a domain that this host shares with others. */
function removesForParent(line: string, { BASE_URL, COOKIE_DOMAIN }: Agreed): boolean {
  const domain = /^(?:__Secure-)?better-auth\.(?:session_token|dont_remember)=; Max-Age=0; Domain=([^;]+);/.exec(
    line,
  )?.[1]
  return domain !== undefined && domain !== COOKIE_DOMAIN && `.${BASE_URL.hostname}`.endsWith(`.${domain}`)
}

function parse(line: string, isHostOnlyRemoval: boolean): Cookie {
  const [, name = '', value = '', age, rest = ''] = /^([^=]*)=([^;]*)(?:; Max-Age=(\d+))?(.*)$/s.exec(line) ?? []
  return { line, name, value, maxAge: age === undefined ? null : Number(age), rest, isHostOnlyRemoval }
}
