import type { SealedTokens, StoredTokens } from '../../db/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { CallbackFields, Provider } from '../../providers/provider.ts'
import type { Tokens } from '../../providers/token-reply.ts'

type Column = 'access_token' | 'refresh_token' | 'id_token'

/** Binds a ciphertext to its row and column: moved elsewhere, it does not decrypt. */
const ciphertextContext = (id: string, column: Column): string => `${id}:${column}`

const blank = { accessTokenLife: null, refreshTokenLife: null, scope: null, callbackFields: null }

export interface PlainTokens {
  readonly accessToken?: string | null | undefined
  readonly refreshToken?: string | null | undefined
  readonly idToken?: string | null | undefined
}

/** Encrypts tokens for the row of that id. */
export function sealTokens({ keys }: Pick<Deps, 'keys'>, id: string, given: PlainTokens): SealedTokens {
  const seal = (column: Column, token: string | null | undefined) =>
    token ? keys.providerTokens.seal(token, ciphertextContext(id, column)) : null
  return {
    ...blank,
    id,
    accessToken: seal('access_token', given.accessToken),
    refreshToken: seal('refresh_token', given.refreshToken),
    idToken: seal('id_token', given.idToken),
  }
}

/** The same for a token reply, with its expiry and scopes. `asked`: the scopes to assume when the reply names none. */
export const sealReply = (deps: Deps, id: string, tokens: Tokens, asked: readonly string[] | null): SealedTokens => ({
  ...sealTokens(deps, id, tokens),
  accessTokenLife: tokens.accessTokenLife,
  refreshTokenLife: tokens.refreshTokenLife,
  scope: (tokens.scopes ?? asked)?.toSorted().join(',') ?? null,
})

/** The callback fields that later refreshes need, as JSON. */
export function callbackFieldsToStore({ refresh }: Provider, callback: CallbackFields): string | null {
  const keeps = refresh ? (refresh.keeps ?? []) : []
  const kept = keeps.flatMap((field) => (callback[field] === undefined ? [] : [[field, callback[field]]]))
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept))
}

type OpenedTokens = Readonly<Record<'accessToken' | 'refreshToken' | 'idToken', string | null>>

/** Decrypts the tokens of a row. Throws when no configured secret can. */
export function openTokens(
  { keys }: Pick<Deps, 'keys'>,
  stored: Pick<StoredTokens, 'id' | keyof OpenedTokens>,
): OpenedTokens {
  const open = (column: Column, sealed: Buffer | null) =>
    sealed === null ? null : keys.providerTokens.open(Buffer.from(sealed), ciphertextContext(stored.id, column))
  return {
    accessToken: open('access_token', stored.accessToken),
    refreshToken: open('refresh_token', stored.refreshToken),
    idToken: open('id_token', stored.idToken),
  }
}
