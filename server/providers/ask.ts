import type { CallOut } from './outbound.ts'
import type { Question } from './provider.ts'

interface Asker {
  readonly accessToken: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** How a record asks its provider, once there is an access token. */
export const askWith =
  (callOut: CallOut, { accessToken, headers, signal }: Asker) =>
  async (address: string, { method = 'GET', headers: own, body, ...question }: Question = {}): Promise<unknown> => {
    const { isBearer = true, isPicture = false } = question
    const authorization = isBearer ? { authorization: `Bearer ${accessToken}` } : {}
    const accept = isPicture ? 'image/*' : 'application/json'
    const sent = { accept, ...headers, ...authorization, ...own }
    const response = await callOut(address, { method, headers: sent, signal, ...(body ? { body } : {}) })
    if (response.status !== 200) throw new Error(`The answer has status ${response.status}`)
    return isPicture ? dataAddress(response) : response.json()
  }

/** What is too long for a picture, or of another type, is left out later, as with any other address. */
async function dataAddress(response: Response): Promise<string> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  return `data:${type.trim()};base64,${Buffer.from(await response.arrayBuffer()).toString('base64')}`
}
