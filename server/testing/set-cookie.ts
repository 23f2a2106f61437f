interface Cookie {
  readonly line: string
  readonly name: string
  readonly value: string
  readonly maxAge: number | null
  readonly rest: string
}

type Rule = readonly [problem: string, isBroken: (cookie: Cookie, isSecure: boolean) => boolean]

const ours =
  /^(?:__Host-|__Secure-)?[A-Za-z0-9_-]+\.(?:session_token|session_data|dont_remember|known_device|device_claim|sign_up|position|admin_session|state\.[A-Za-z0-9]{1,8})$/
const maxLife = 34_560_000
const maxPairLength = 4096

/** Each names a broken rule: of RFC 6265bis, of our own attributes, or of the reference client's helper. */
const rules: readonly Rule[] = [
  ['is no cookie of ours', ({ name }) => !ours.test(name)],
  ['has a value that some reader cuts', ({ value }) => /[;,\s"\\]/.test(value)],
  ['has a prefix that does not suit the address', ({ name }, isSecure) => name.startsWith('__') !== isSecure],
  ['is longer than browsers keep', ({ name, value }) => name.length + value.length + 1 > maxPairLength],
  ['lives longer than 400 days', ({ maxAge }) => maxAge !== null && !(maxAge <= maxLife)],
  ['is cleared by halves', ({ value, maxAge }) => (value === '') !== (maxAge === 0)],
  [
    'has other attributes than agreed',
    ({ rest }, isSecure) => rest !== `; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`,
  ],
]

/** Throws unless every line is as agreed, and one line a cookie. Every answer of the whole suite passes here. */
export function checkSetCookies(lines: readonly string[], isSecure: boolean): void {
  const cookies = lines.map(parse)
  for (const cookie of cookies)
    for (const [problem, isBroken] of rules)
      if (isBroken(cookie, isSecure)) throw new Error(`A cookie ${problem}: ${cookie.line}`)
  if (new Set(cookies.map(({ name }) => name)).size !== lines.length) throw new Error(`Set twice: ${lines.join('\n')}`)
}

function parse(line: string): Cookie {
  const [, name = '', value = '', age, rest = ''] = /^([^=]*)=([^;]*)(?:; Max-Age=(\d+))?(.*)$/s.exec(line) ?? []
  return { line, name, value, maxAge: age === undefined ? null : Number(age), rest }
}
