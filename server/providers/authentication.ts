import type { Authenticate } from './provider.ts'

/** In the body (RFC 6749 2.3.1). */
export const secretInBody: Authenticate = ({ clientId, clientSecret }, body) => {
  body.set('client_id', clientId)
  body.set('client_secret', clientSecret)
}

/** In the header, without the form encoding that RFC 6749 requires, because these servers do not decode it. */
export const rawBasic: Authenticate = ({ clientId, clientSecret }, _body, headers) => {
  headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`)
}

/** No secret: the PKCE verifier proves that we began the flow. */
export const clientIdOnly: Authenticate = ({ clientId }, body) => {
  body.set('client_id', clientId)
}

/** TikTok's name for a client id. */
export const clientKey: Authenticate = ({ clientId, clientSecret }, body) => {
  body.set('client_key', clientId)
  body.set('client_secret', clientSecret)
}

/** In the header as RFC 6749 2.3.1 requires: each part form-encoded. */
export const encodedBasic: Authenticate = ({ clientId, clientSecret }, _body, headers) => {
  const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams([['', part]]).toString().slice(1))
  headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
}
