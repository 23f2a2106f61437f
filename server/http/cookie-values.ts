import { decodeMac } from '../crypto/keys.ts'

/** The value that all valid texts agree on. Null when they differ or none is valid. */
export function soleValue(texts: readonly string[], verify: (text: string) => string | null): string | null {
  const valid = new Set(texts.map(verify).filter((value) => value !== null))
  const [value = null] = valid.size === 1 ? valid : []
  return value
}

/** All values of a name: a cookie set by another subdomain may come before or after the real one. */
export function valuesOf(header: string, name: string): string[] {
  const values: string[] = []
  for (const pair of header.split(';')) {
    const text = pair.trim()
    if (text.startsWith(name) && text[name.length] === '=')
      values.push(text.slice(name.length + 1).replace(/^"(.*)"$/, '$1'))
  }
  return values.filter(Boolean)
}

const macLength = 44

/** A signed value, which may be percent-encoded, and its MAC. Null when it has another form. */
export function splitSigned(text: string): { readonly value: string; readonly mac: Buffer } | null {
  const decoded = decode(text)
  const dot = decoded.lastIndexOf('.')
  const mac = decoded.slice(dot + 1)
  return dot < 1 || mac.length !== macLength ? null : { value: decoded.slice(0, dot), mac: decodeMac(mac, 'base64') }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
