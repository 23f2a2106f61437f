import { readMac, type Signer } from '../crypto/keys.ts'

/** How the values of our cookies are signed and read. `name`: of the cookie, without any prefix. */
export interface SignedValues<Name extends string> {
  readonly signed: (name: Name, value: string) => string
  /** The value, when any secret signed it for this cookie; else null. */
  readonly verify: (name: Name, text: string) => string | null
  /** Whether an older secret signed it, and not the newest. */
  readonly isOutdated: (name: Name, text: string) => boolean
  /** Whether texts say this value, and the newest secret signed none of those that do. */
  readonly isNowhereNew: (name: Name, texts: readonly string[], value: string) => boolean
}

const macLength = 44

/** The MAC covers the name with the prefix of the settings, so that no value is taken for another cookie's. */
export function signedValues<Name extends string>(signer: Signer, prefix: string): SignedValues<Name> {
  const textOf = (name: Name, value: string) => `cookie:${prefix}.${name}:${value}`
  const verify = (name: Name, text: string) => {
    const read = split(text)
    return read && signer.verifies(textOf(name, read.value), read.mac) ? read.value : null
  }
  const isOutdated = (name: Name, text: string) => {
    const read = split(text)
    return read !== null && signer.isOutdated(textOf(name, read.value), read.mac)
  }
  return {
    signed: (name, value) => encodeURIComponent(`${value}.${signer.sign(textOf(name, value)).toString('base64')}`),
    verify,
    isOutdated,
    isNowhereNew(name, texts, value) {
      if (!signer.isRotating) return false
      const same = texts.filter((text) => verify(name, text) === value)
      return same.length > 0 && same.every((text) => isOutdated(name, text))
    },
  }
}

function split(text: string): { readonly value: string; readonly mac: Buffer } | null {
  const decoded = decode(text)
  const dot = decoded.lastIndexOf('.')
  const mac = decoded.slice(dot + 1)
  return dot < 1 || mac.length !== macLength ? null : { value: decoded.slice(0, dot), mac: readMac(mac, 'base64') }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
