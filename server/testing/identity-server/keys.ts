import { type CryptoKey, exportJWK, exportPKCS8, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export type Algorithm = 'RS256' | 'ES256'

export interface SigningKey {
  readonly kid: string
  readonly algorithm: Algorithm
  readonly privateKey: CryptoKey
  /** As a JWKS shows it. */
  readonly shown: JWK
}

export async function createSigningKey(algorithm: Algorithm, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { kid, algorithm, privateKey, shown: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } }
}

/** Signs what it is given: nothing is added, so that a test can leave out or forge any claim. */
export const signToken = (claims: JWTPayload, { privateKey, kid, algorithm: alg }: SigningKey): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(privateKey)

/** What Apple hands out once, as a .p8 file: a client signs its own secrets with it. */
export interface AppleKey {
  readonly teamId: string
  readonly keyId: string
  /** PKCS #8, PEM. */
  readonly pem: string
  readonly publicKey: CryptoKey
}

export async function createAppleKey(): Promise<AppleKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { teamId: 'TEAM123456', keyId: 'KEYID12345', pem: await exportPKCS8(privateKey), publicKey }
}
