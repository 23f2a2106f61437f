import { createPrivateKey } from 'node:crypto'
import {
  type Authenticate,
  coerceBoolean,
  coerceObject,
  idListOption,
  joinNameParts,
  type Provider,
  splitIds,
} from './provider.ts'

const tenCharacters = { expected: 'the 10 letters and digits that Apple shows', pattern: /^[A-Z0-9]{10}$/ }

export const apple: Provider = {
  id: 'apple',
  endpoints: {
    issuer: 'https://appleid.apple.com',
    authorization: 'https://appleid.apple.com/auth/authorize',
    token: 'https://appleid.apple.com/auth/token',
    jwks: 'https://appleid.apple.com/auth/keys',
  },
  scopes: ['name', 'email'],
  authentication: (...given) => signedSecret(...given),
  needsSecret: ['TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'],
  options: {
    TEAM_ID: tenCharacters,
    KEY_ID: tenCharacters,
    PRIVATE_KEY: {
      expected: 'the text of the .p8 file, with line breaks or \\n',
      pattern: /^\s*-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----[^-]*$/,
      isUsable: isSigningKey,
      isSecret: true,
    },
    APP_BUNDLE_IDS: idListOption('bundle ids of your applications'),
  },
  // Apple requires form_post as soon as any scope is requested.
  parameters: () => ({ response_mode: 'form_post' }),
  idToken: {
    audiences: ({ options }) => splitIds(options.APP_BUNDLE_IDS),
    // Phone applications give Apple the hash of their nonce.
    nonce: 'hashed',
    isForSignIn: true,
    profile: ({ sub, email, email_verified: verified }, { user }) => ({
      id: sub,
      name: nameIn(user),
      email,
      emailVerified: coerceBoolean(verified),
    }),
  },
}

/** The name from the form. Apple sends it once and unsigned, so nothing else is taken from it. */
function nameIn(user: string | undefined): string | undefined {
  try {
    const { firstName, lastName } = coerceObject(coerceObject(JSON.parse(user ?? '')).name)
    return joinNameParts(firstName, lastName)
  } catch {
    return undefined
  }
}

const withLines = (pem: string): string => pem.replaceAll('\\n', '\n').trim()

function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(withLines(pem)).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

/** Seconds: each secret is made for one request. */
const secretLife = 300

/**
 * A secret signed by Apple's key (ES256), or the one from the settings, which is made elsewhere for up to six months.
 */
const signedSecret: Authenticate = async ({ clientId, clientSecret, options }, body) => {
  body.set('client_id', clientId)
  body.set('client_secret', options.PRIVATE_KEY ? await sign(clientId, options) : clientSecret)
}

async function sign(clientId: string, options: Readonly<Record<string, string>>): Promise<string> {
  const { SignJWT } = await import('jose')
  const { PRIVATE_KEY: pem = '', KEY_ID: kid = '', TEAM_ID: team = '' } = options
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(team)
    .setSubject(clientId)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt()
    .setExpirationTime(`${secretLife}s`)
    .sign(createPrivateKey(withLines(pem)))
}
