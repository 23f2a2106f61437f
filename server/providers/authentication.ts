import type { Authenticate } from './provider.ts'

/** In the body (RFC 6749 2.3.1). */
export const secretInBody: Authenticate = ({ clientId, clientSecret }, body) => {
  body.set('client_id', clientId)
  body.set('client_secret', clientSecret)
}

/** In the header, without the encoding that RFC 6749 wants first: these servers do not undo it. */
export const rawBasic: Authenticate = ({ clientId, clientSecret }, _body, headers) => {
  headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`)
}

/** No secret: the verifier proves that it was us who began. */
export const clientIdOnly: Authenticate = ({ clientId }, body) => {
  body.set('client_id', clientId)
}

/** TikTok's name for a client id. */
export const clientKey: Authenticate = ({ clientId, clientSecret }, body) => {
  body.set('client_key', clientId)
  body.set('client_secret', clientSecret)
}

/** In the header, as the standard wants it (RFC 6749 2.3.1): each part encoded as in a form. */
export const encodedBasic: Authenticate = ({ clientId, clientSecret }, _body, headers) => {
  const [id, secret] = [clientId, clientSecret].map((part) => new URLSearchParams([['', part]]).toString().slice(1))
  headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
}
