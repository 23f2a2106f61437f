import type { Json, Provider } from './provider.ts'

/** The tokens that a provider issued for a code or a refresh token. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | null
  readonly idToken: string | null
  /** Seconds. Null when the reply does not say. */
  readonly accessTokenLife: number | null
  readonly refreshTokenLife: number | null
  /** Null when the reply does not say. */
  readonly scopes: readonly string[] | null
}

/** A token reply in the standard's shape, without its id token, which is verified separately or dropped. */
export interface NormalisedReply {
  readonly status: number
  readonly body: Json
  readonly idToken: string | null
}

/** Throws when the reply is no JSON object, or belongs to another request. */
export function normaliseReply(
  { tokenReply }: Provider,
  sent: URLSearchParams,
  { status, text }: { readonly status: number; readonly text: string },
): NormalisedReply {
  const parsed: unknown = JSON.parse(text)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    throw new Error('The reply is not an object')
  // Some providers report errors with a success status.
  if (status !== 200 || Object.hasOwn(parsed, 'error'))
    return { status: 400, body: errorOf(parsed as Json), idToken: null }
  const { id_token: idToken, ...body } = tokenReply ? tokenReply(parsed as Json, sent) : (parsed as Json)
  return { status, body: withoutGaps(body), idToken: typeof idToken === 'string' && idToken !== '' ? idToken : null }
}

const errorOf = ({ error, error_description: description }: Json): Json => ({
  error: typeof error === 'string' && error !== '' ? error : 'invalid_request',
  ...(typeof description === 'string' ? { error_description: description } : {}),
})

const optional = new Set(['refresh_token', 'scope', 'expires_in'])

const withoutGaps = (body: Json): Json => ({
  ...Object.fromEntries(
    Object.entries(body).filter(([key, value]) => !optional.has(key) || (value !== null && value !== '')),
  ),
  ...(Array.isArray(body.scope) ? { scope: body.scope.join(' ') } : {}),
})

/** A token reply that the library has validated. */
interface ValidReply {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
  readonly scope?: string | undefined
}

export const tokensOf = (sound: ValidReply, { body, idToken }: NormalisedReply): Tokens => ({
  accessToken: sound.access_token,
  refreshToken: sound.refresh_token ?? null,
  idToken,
  accessTokenLife: lifeOf(sound.expires_in),
  refreshTokenLife: lifeOf(body.refresh_token_expires_in ?? body.refresh_expires_in),
  scopes: sound.scope === undefined ? null : sound.scope.split(/[\s,]+/).filter(Boolean),
})

/** At most ten years, which is as good as unlimited. */
const lifeOf = (seconds: unknown): number | null =>
  Number.isFinite(Number(seconds)) && Number(seconds) > 0 ? Math.min(Math.floor(Number(seconds)), 315_360_000) : null
