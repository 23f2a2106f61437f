const pair = /^((?:__Host-|__Secure-)?[A-Za-z0-9_-]+\.(?:session_token|session_data|dont_remember))=([^;,\s"\\]*)$/
const longestLife = 34_560_000
const longestPair = 4096

/**
 * Throws unless every line is a cookie as browsers and the reference client's helper need it: one line a name, no comma, no
 * Expires, no Domain, our attributes and no others. Every answer of the whole suite passes here.
 */
export function checkSetCookies(lines: readonly string[], isSecure: boolean): void {
  const names = lines.map((line) => checkLine(line, isSecure))
  if (new Set(names).size !== names.length)
    throw new Error(`One cookie was set twice in an answer: ${names.join(', ')}`)
}

function checkLine(line: string, isSecure: boolean): string {
  const [first = '', ...attributes] = line.split('; ')
  const [, name, value] = pair.exec(first) ?? []
  if (name === undefined || value === undefined) throw new Error(`Not a cookie of ours: ${line}`)
  if (/^__(Host|Secure)-/.test(name) !== isSecure) throw new Error(`The prefix does not suit the address: ${line}`)
  if (first.length > longestPair) throw new Error(`Longer than browsers keep: ${name} has ${first.length}`)
  const [life, ...rest] = attributes[0]?.startsWith('Max-Age=') ? attributes : [null, ...attributes]
  if (life !== null && !(Number(life?.slice(8)) <= longestLife)) throw new Error(`Lives too long: ${line}`)
  if ((value === '') !== (life === 'Max-Age=0')) throw new Error(`Cleared by halves: ${line}`)
  const expected = ['Path=/', 'HttpOnly', ...(isSecure ? ['Secure'] : []), 'SameSite=Lax']
  if (rest.join('; ') !== expected.join('; ')) throw new Error(`Other attributes than agreed: ${line}`)
  return name
}
