import { constants, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { TokenAlgorithm } from '../../shared/token.ts'

/** A signing key, with the id under which verifiers find its public part. */
export interface TokenKey {
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly privateKey: KeyObject
}

export interface KeyPair {
  /** The public members of its JWK (RFC 7517). */
  readonly publicKey: Readonly<Record<string, string>>
  /** The whole JWK as text. Secret. */
  readonly privateKey: string
}

const generate = promisify(generateKeyPair)

/**
 * How a key pair is made for each algorithm. All give at least 128 bits of security except RSA, whose size every
 * verifier accepts.
 */
const pairs: Readonly<Record<TokenAlgorithm, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>> = {
  EdDSA: () => generate('ed25519'),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  ES512: () => generate('ec', { namedCurve: 'P-521' }),
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  PS256: () => generate('rsa', { modulusLength: 2048 }),
}

export async function createKeyPair(algorithm: TokenAlgorithm): Promise<KeyPair> {
  const { publicKey, privateKey } = await pairs[algorithm]()
  return {
    publicKey: publicKey.export({ format: 'jwk' }) as Record<string, string>,
    privateKey: JSON.stringify(privateKey.export({ format: 'jwk' })),
  }
}

/** The public members of a JWK, public or private. Null when it is no asymmetric key. */
export function publicMembersOf(jwk: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'jwk' }) as Record<string, string>
  } catch {
    return null
  }
}

const [leastModulus, mostModulus] = [2048, 8192]
const [leastExponent, mostExponent] = [65_537n, 2n ** 32n]

/**
 * Whether nobody can forge signatures for a public key, or make their verification costly. With RSA that depends on the
 * key: a short modulus can be factored, and a small exponent lets anybody make signatures.
 */
export function isSoundKey(jwk: Readonly<Record<string, string>>): boolean {
  const { modulusLength: modulus = leastModulus, publicExponent: exponent = leastExponent } =
    createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails ?? {}
  return modulus >= leastModulus && modulus <= mostModulus && exponent >= leastExponent && exponent <= mostExponent
}

export const parsePrivateKey = (text: string): KeyObject => createPrivateKey({ key: JSON.parse(text), format: 'jwk' })

type Signature = (data: Buffer, key: KeyObject) => Buffer

/** RFC 7518, 3.3 to 3.5, and RFC 8037, 3.1. */
const signatures: Readonly<Record<TokenAlgorithm, Signature>> = {
  EdDSA: (data, key) => sign(null, data, key),
  ES256: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
  ES512: (data, key) => sign('sha512', data, { key, dsaEncoding: 'ieee-p1363' }),
  RS256: (data, key) => sign('sha256', data, key),
  PS256: (data, key) => sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
}

/**
 * Signs a token (JWT, RFC 7519) synchronously. jose signs with WebCrypto, which costs four times as much and queues in
 * the thread pool behind password hashes.
 */
export function signToken({ id, algorithm, privateKey }: TokenKey, claims: object): string {
  const signed = `${encode({ alg: algorithm, kid: id, typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${signatures[algorithm](Buffer.from(signed), privateKey).toString('base64url')}`
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
